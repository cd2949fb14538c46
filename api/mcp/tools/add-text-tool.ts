import { Readable } from 'node:stream';
import { z } from 'zod';
import { JsonObject, textField } from '#domain/records/fields.ts';
import { UploadItemFields } from '#domain/records/upload.ts';
import { requireUploadAccess } from '#operations/uploads/require-upload-access.ts';
import { IdempotencyKey, idempotencyOf } from '#api/mcp/idempotency.ts';
import { IdArgument } from '#api/mcp/result-fields.ts';
import { tool } from '#api/mcp/tool.ts';
import { UploadedItem, uploadItem, WaitSeconds } from '#api/mcp/upload-item.ts';

const TEXT_TYPE = 'text/plain; charset=utf-8';
const STANDARD_WAIT_S = 20;

export const addTextTool = tool(
  {
    name: 'add_text',
    title: 'Add a text',
    description:
      'Stores a text in a collection, where searches find it. The same text under the same name is stored once.',
    permission: 'uploads:write',
    hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
    input: z.strictObject({
      collection_id: IdArgument.meta({ description: 'From list_collections.' }),
      text: z.string().min(1).meta({ description: 'Plain text or Markdown; a request has at most 1 MiB.' }),
      name: textField(1024, 1).meta({ description: 'A title or path, as people know it.' }),
      external_id: UploadItemFields.shape.external_id.meta({
        description: 'Your own id of the text; what has it in the collection is replaced.',
      }),
      metadata: JsonObject.default({}).meta({ description: 'What searches can filter by.' }),
      idempotency_key: IdempotencyKey,
      wait_seconds: WaitSeconds.default(STANDARD_WAIT_S),
    }),
    output: UploadedItem,
  },
  async (context, { idempotency_key: key, wait_seconds: waitS, ...written }) => {
    const { services, caller } = context;
    const { collection_id, text, name, external_id, metadata } = written;
    await requireUploadAccess(services, caller, { collectionId: collection_id, key: key ?? null });
    const bytes = Buffer.from(text.toWellFormed());
    await using closing = new AsyncDisposableStack();
    const blob = closing.use(await services.blobs.spool(Readable.from([bytes]), services.limits.maxFileBytes));
    const own = { name, external_id };
    const item = { index: 0, source: 'text', name, declaredType: TEXT_TYPE, blob, head: null, own } as const;
    const form = { collection_id, content_type: 'text', metadata } as const;
    // Awaited, because the spooled bytes are removed afterwards.
    return await uploadItem(context, { form, item, idempotency: idempotencyOf('add_text', key, written), waitS });
  },
);
