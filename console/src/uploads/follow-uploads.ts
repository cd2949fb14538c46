import { type BrowserClient, dataOf, LociError } from '@loci/client/browser';
import type { Schemas } from '../api/schemas.ts';
import { isEntrySettled } from './upload-entry.ts';
import { uploadStore } from './upload-store.ts';

/** The most requests of a round: however large a folder is, the limit of requests is not used up by looking. */
const MAX_PAGES = 5;
const MAX_DETAILS = 20;
const PAGE_SIZE = 200;
const MAX_CONTENTS = 1_000;
const GONE = 404;

type Rounds = {
  /** Asks how far the uploads are. Returns whether something has changed. */
  next: (signal: AbortSignal) => Promise<boolean>;
};

/**
 * Follows the uploads of this tab into a collection, round by round: a list says how far all of them are, and only those that
 * have changed are asked for their contents. One that cannot be read does not hold up the others.
 */
export function followUploads(loci: BrowserClient, collectionId: string): Rounds {
  /** How far an upload was when its contents were read. */
  const known = new Map<string, string>();
  /** The last round in which an upload was asked for. */
  const asked = new Map<string, number>();
  let round = 0;
  const next = async (signal: AbortSignal): Promise<boolean> => {
    round += 1;
    const open = openUploads(collectionId);
    const states = await statesOf(loci, { collectionId, open, signal });
    const changed = open.filter((id) => !known.has(id) || known.get(id) !== states.get(id));
    changed.sort((one, other) => (asked.get(one) ?? 0) - (asked.get(other) ?? 0));
    let hasChanged = false;
    for (const id of changed.slice(0, MAX_DETAILS)) {
      asked.set(id, round);
      const contents = await contentsOf(loci, id, signal);
      if (contents === null) continue;
      known.set(id, states.get(id) ?? '');
      hasChanged = showContents(id, contents) || hasChanged;
    }
    return hasChanged;
  };
  return { next };
}

/** Uploads into a collection whose ingestion goes on, in the order in which they were sent. */
function openUploads(collectionId: string): string[] {
  const entries = uploadStore.read();
  const open = entries.filter((one) => one.collectionId === collectionId && !isEntrySettled(one));
  const ids = open.flatMap(({ uploadId }) => uploadId ?? []);
  return [...new Set(ids)];
}

type Asked = { collectionId: string; open: readonly string[]; signal: AbortSignal };

/** Returns how far each upload is, as text; those are missing that are gone or far down the list. */
async function statesOf(
  loci: BrowserClient,
  { collectionId, open, signal }: Asked,
): Promise<ReadonlyMap<string, string>> {
  const states = new Map<string, string>();
  const missing = new Set(open);
  let cursor: string | null = null;
  for (let page = 0; page < MAX_PAGES && missing.size > 0; page += 1) {
    const query = { collection_id: collectionId, limit: PAGE_SIZE, ...(cursor === null ? {} : { cursor }) };
    const answer: Schemas['UploadList'] = await dataOf(loci.api.GET('/api/v1/uploads', { params: { query }, signal }));
    for (const { id, status, progress } of answer.data) {
      if (missing.delete(id)) states.set(id, JSON.stringify([status, progress]));
    }
    cursor = answer.next_cursor;
    if (cursor === null) break;
  }
  return states;
}

type Contents = Pick<Schemas['UploadProgress'], 'contents' | 'has_more'>;

/** Returns the contents of an upload, none if it is gone, and null if they cannot be read now. */
async function contentsOf(loci: BrowserClient, uploadId: string, signal: AbortSignal): Promise<Contents | null> {
  const params = { path: { upload_id: uploadId }, query: { limit: MAX_CONTENTS } };
  try {
    return await dataOf(loci.api.GET('/api/v1/uploads/{upload_id}', { params, signal }));
  } catch (error) {
    signal.throwIfAborted();
    return error instanceof LociError && error.status === GONE ? { contents: [], has_more: false } : null;
  }
}

/** Shows how far the contents of an upload are, and forgets those that were deleted. Returns whether something has changed. */
function showContents(uploadId: string, { contents, has_more: isPart }: Contents): boolean {
  const byId = new Map(contents.map((content) => [content.content_id, content]));
  const gone = new Set<number>();
  const changed = new Set<number>();
  for (const { id, contentId, status, message, ...entry } of uploadStore.read()) {
    if (entry.uploadId !== uploadId || entry.state !== 'accepted') continue;
    const content = byId.get(contentId ?? '');
    if (content === undefined && !isPart) gone.add(id);
    if (content !== undefined && (content.status !== status || content.status_message !== message)) changed.add(id);
  }
  if (gone.size > 0) uploadStore.remove(gone);
  if (changed.size > 0) {
    uploadStore.update(changed, ({ contentId }) => {
      const content = byId.get(contentId ?? '');
      return content === undefined ? {} : { status: content.status, message: content.status_message };
    });
  }
  return gone.size + changed.size > 0;
}
