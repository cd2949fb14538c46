import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { LociApi } from '../loci-api.ts';
import { dataOf } from '../data-of.ts';
import { CURRENT_LIST, paginate } from '../paginate.ts';
import type { components } from '../schema.ts';
import type { UploadForm } from './send-batch.ts';
import type { UploadInput } from './upload-input.ts';

type Content = components['schemas']['Content'];

export type PresentContents = {
  /** Returns the existing content for this input, or null if the input must be sent. */
  find(input: UploadInput): Promise<Content | null>;
};

const PAGE_ITEMS = 1000;
/** Contents in these statuses are sent again, which retries them. */
export const NOT_PRESENT: ReadonlySet<string> = new Set<Content['status']>(['failed', 'cancelled', 'deleting']);

/**
 * Lists the contents of a collection, so that a repeated upload sends only missing files. The service also detects
 * duplicates, but only from the bytes. Returns null if listing would need more requests than sending.
 */
export async function presentContents(
  api: LociApi,
  form: UploadForm,
  fileCount: number | null,
): Promise<PresentContents | null> {
  const query = { collection_id: form.collectionId, limit: 1 };
  const current = { params: { query }, headers: CURRENT_LIST };
  const { total_count: total } = await dataOf(api.GET('/api/v1/contents', current));
  if (total === 0 || (fileCount !== null && total / PAGE_ITEMS > fileCount)) return null;
  const byNameAndSize = new Map<string, Map<string | null, Content>>();
  const byExternalId = new Map<string, Content>();
  const list = { query: { ...query, limit: PAGE_ITEMS }, isCurrent: true };
  for await (const content of paginate(api, '/api/v1/contents', list)) {
    if (!wouldStayUnchanged(content, form)) continue;
    if (content.external_id !== null) byExternalId.set(content.external_id, content);
    const key = `${content.size} ${content.name}`;
    const byHash = byNameAndSize.get(key) ?? new Map<string | null, Content>();
    if (!byHash.has(content.content_hash)) byHash.set(content.content_hash, content);
    byNameAndSize.set(key, byHash);
  }
  return {
    async find({ path, name, externalId, sizeBytes }) {
      const sameId = externalId === null ? undefined : byExternalId.get(externalId);
      const isAlike = sameId?.name === name && sameId.size === sizeBytes;
      const sameFile = isAlike ? new Map([[sameId.content_hash, sameId]]) : undefined;
      const alike = externalId === null ? byNameAndSize.get(`${sizeBytes} ${name}`) : sameFile;
      if (path === null || alike === undefined) return null;
      const hash = await sha256Of(path);
      return hash === null ? null : (alike.get(hash) ?? null);
    },
  };
}

/** Returns true if sending the content again with this form would not change it. */
function wouldStayUnchanged(content: Content, { metadata, description, ingest }: UploadForm): boolean {
  if (NOT_PRESENT.has(content.status) || (content.status === 'stored' && ingest !== false)) return false;
  if (description !== undefined && description !== content.description) return false;
  if (metadata === undefined) return true;
  const { external_id: _, ...own } = content.metadata;
  return isDeepStrictEqual(own, metadata) || isDeepStrictEqual(content.metadata, metadata);
}

/** Returns the hash of a file, as contents have it; null if it cannot be read. */
export async function sha256Of(path: string): Promise<string | null> {
  const hash = createHash('sha256');
  try {
    for await (const bytes of createReadStream(path)) hash.update(bytes);
  } catch {
    // Sending the file reports the error.
    return null;
  }
  return hash.digest('hex');
}
