import { z } from 'zod';
import { AppError } from '#domain/app-error.ts';
import { UploadForm, type UploadResponse } from '#domain/records/upload.ts';
import type { ContentStatus } from '#domain/statuses.ts';
import { collectionNames } from '#operations/collections/collection-names.ts';
import type { Idempotency } from '#operations/idempotency.ts';
import { acceptUpload } from '#operations/uploads/accept-upload.ts';
import type { ReceivedItem } from '#operations/uploads/plan-upload.ts';
import { waitForUpload } from '#operations/uploads/wait-for-upload.ts';
import { CollectionNameField, ContentStatusField, Note } from './result-fields.ts';
import type { ToolContext } from './tool.ts';

/** Longer than most texts take, and shorter than clients wait. */
const MAX_WAIT_S = 50;

export const WaitSeconds = z.int().min(0).max(MAX_WAIT_S).meta({
  description: 'How long to wait until searches find it; it goes on afterwards.',
});

/** The result of an upload of one item. */
export const UploadedItem = z.object({
  upload_id: z.string().nullable().meta({ description: 'For upload_status.' }),
  content_id: z.string(),
  name: z.string(),
  collection_id: z.string(),
  collection_name: CollectionNameField,
  status: ContentStatusField.meta({ description: 'ready: searches find it.' }),
  duplicate: z.boolean().meta({ description: 'The collection already had it.' }),
  replaced: z.boolean().meta({ description: 'The content with this external_id is replaced.' }),
  note: Note,
});

type NewItem = {
  form: z.input<typeof UploadForm>;
  item: ReceivedItem;
  idempotency: Idempotency | null;
  waitS: number;
};

/**
 * Uploads one item as `POST /upload` does, and waits for it.
 * @throws AppError like `acceptUpload`, and with the code of the item when it is rejected.
 */
export async function uploadItem(
  { services, caller, signal }: ToolContext,
  { form, item, idempotency, waitS }: NewItem,
): Promise<z.input<typeof UploadedItem>> {
  const upload = { form: UploadForm.parse(form), items: [item], errors: [], idempotency };
  const accepted = await acceptUpload(services, caller, upload);
  const [refused] = accepted.body.errors;
  if (refused !== undefined) throw new AppError(refused.code, refused.message);
  const response = await waitForUpload(services, caller, { response: accepted.body, timeoutS: waitS, signal });
  const names = await collectionNames(services, caller, [response.collection_id]);
  return showUpload(response, names.get(response.collection_id) ?? null);
}

function showUpload(response: UploadResponse, collectionName: string | null): z.input<typeof UploadedItem> {
  const [uploaded] = response.uploads;
  if (uploaded === undefined) throw new AppError('internal', 'The upload has no item.');
  const { content_id, name, status, duplicate, replaced } = uploaded;
  return {
    upload_id: response.upload_id,
    content_id,
    name,
    collection_id: response.collection_id,
    collection_name: collectionName,
    status,
    duplicate,
    replaced,
    note: noteOn(status),
  };
}

function noteOn(status: ContentStatus): string | null {
  if (status === 'ready') return null;
  return status === 'failed'
    ? 'It failed, and searches do not find it: upload_status says why, and what to do.'
    : 'Searches do not find it yet: upload_status says how far it is.';
}
