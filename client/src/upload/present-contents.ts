import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { LociApi } from '../create-loci-client.ts';
import { dataOf } from '../data-of.ts';
import { paginate } from '../paginate.ts';
import type { components } from '../schema.ts';
import type { UploadForm } from './send-batch.ts';
import type { UploadInput } from './upload-input.ts';

type Content = components['schemas']['Content'];

export type PresentContents = {
  /** The content that sending this input would find, or null where it has to be sent. */
  find(input: UploadInput): Promise<Content | null>;
};

const PAGE_ITEMS = 1000;
/** Sending these again has an effect: they are tried again. */
const NOT_PRESENT: ReadonlySet<string> = new Set<Content['status']>(['failed', 'cancelled', 'deleting']);

/**
 * What a collection has by now, so that a second run sends only what is missing. The service would find out by itself,
 * but only from the bytes. Null where looking would take more requests than sending.
 */
export async function presentContents(
  api: LociApi,
  form: UploadForm,
  fileCount: number | null,
): Promise<PresentContents | null> {
  const query = { collection_id: form.collectionId, limit: 1 };
  const { total_count: total } = await dataOf(api.GET('/api/v1/contents', { params: { query } }));
  if (total === 0 || (fileCount !== null && total / PAGE_ITEMS > fileCount)) return null;
  const byNameAndSize = new Map<string, Content[]>();
  for await (const content of paginate(api, '/api/v1/contents', { query: { ...query, limit: PAGE_ITEMS } })) {
    if (!isLike(content, form)) continue;
    const key = `${content.size} ${content.name}`;
    byNameAndSize.set(key, [...(byNameAndSize.get(key) ?? []), content]);
  }
  return {
    async find({ path, name, sizeBytes }) {
      const alike = byNameAndSize.get(`${sizeBytes} ${name}`);
      if (path === null || alike === undefined) return null;
      const hash = await sha256Of(path);
      return alike.find(({ content_hash }) => content_hash === hash) ?? null;
    },
  };
}

/** Whether sending it with this form would leave it as it is. */
function isLike(content: Content, { metadata, description, ingest }: UploadForm): boolean {
  if (NOT_PRESENT.has(content.status) || (content.status === 'stored' && ingest !== false)) return false;
  if (description !== undefined && description !== content.description) return false;
  return metadata === undefined || isDeepStrictEqual(content.metadata, metadata);
}

async function sha256Of(path: string): Promise<string | null> {
  const hash = createHash('sha256');
  try {
    for await (const bytes of createReadStream(path)) hash.update(bytes);
  } catch {
    // Sending it tells what is wrong with it.
    return null;
  }
  return hash.digest('hex');
}
