import pMap from 'p-map';
import type { LociApi } from './loci-api.ts';
import { dataOf } from './data-of.ts';
import { delay } from './delay.ts';
import { paginate } from './paginate.ts';
import type { components } from './schema.ts';
import { takeUnfinished } from './take-unfinished.ts';

/** Contents by id, all contents of uploads, or both. */
export type WaitTarget = {
  contentIds?: readonly string[] | undefined;
  uploadId?: string | undefined;
  uploadIds?: readonly string[] | undefined;
};

export type WaitOptions = {
  /** Stops waiting; the ingestion continues. */
  signal?: AbortSignal | undefined;
  /** Called after every status request. */
  onProgress?: ((progress: WaitProgress) => void) | undefined;
};

export type WaitProgress = {
  total: number;
  /** Contents without remaining work: ready, failed, cancelled, or only stored. */
  settled: number;
  byStatus: Partial<Record<ContentStatus, number>>;
};

type Content = components['schemas']['Content'];
export type ContentStatus = Content['status'];
export type SettledContent = {
  content_id: string;
  name: string;
  status: ContentStatus;
  /** Why the ingestion failed; null unless `status` is `failed`. */
  error_code: components['schemas']['FailureCode'] | null;
  status_message: string | null;
};

export type ReadyResult = WaitProgress & {
  /** Contents that ended neither `ready` nor `stored`, with the reason in `status_message`. */
  failed: SettledContent[];
};

const MIN_WAIT_MS = 250;
const MAX_WAIT_MS = 3_000;
const WAIT_GROWTH = 1.3;
const REQUEST_CONCURRENCY = 4;
/** Of contents that no list tells about, those that were asked for longest ago are asked for in each turn. */
const SINGLE_REQUESTS = 100;
const SETTLED: ReadonlySet<string> = new Set<ContentStatus>(['ready', 'stored', 'failed', 'cancelled', 'deleting']);
const SUCCESSFUL: ReadonlySet<string> = new Set<ContentStatus>(['ready', 'stored']);

/**
 * Waits until uploads or contents have no more work to do, with growing intervals between the status requests. Paused
 * contents are waited for until they are resumed. Contents that are deleted in the meantime are no longer counted.
 * @throws LociError if the service is unreachable or an upload or content does not exist; the reason of `signal` if aborted
 */
export async function waitUntilReady(
  api: LociApi,
  target: WaitTarget,
  { signal, onProgress }: WaitOptions = {},
): Promise<ReadyResult> {
  const uploadIds = [...(target.uploadIds ?? []), ...(target.uploadId === undefined ? [] : [target.uploadId])];
  const parts = [
    ...[...new Set(uploadIds)].map((id) => watchUpload(api, id)),
    watchContents(api, [...new Set(target.contentIds)]),
  ];
  const how = { concurrency: REQUEST_CONCURRENCY, ...(signal ? { signal } : {}) };
  for (let waitMs = MIN_WAIT_MS; ; waitMs = Math.min(MAX_WAIT_MS, waitMs * WAIT_GROWTH)) {
    signal?.throwIfAborted();
    const open = parts.filter(({ progress }) => progress === null || progress.settled < progress.total);
    await pMap(open, (part) => part.refresh(signal), how);
    const progress = sumOf(parts);
    onProgress?.(progress);
    if (progress.settled >= progress.total) {
      const failed = await pMap(parts, (part) => part.failed(signal), how);
      return { ...progress, failed: failed.flat() };
    }
    await delay(waitMs, signal);
  }
}

/** An upload, or contents, that is waited for. */
type WatchedItem = {
  /** Progress at the last status request; null before the first one. */
  progress: WaitProgress | null;
  refresh(signal: AbortSignal | undefined): Promise<void>;
  failed(signal: AbortSignal | undefined): Promise<SettledContent[]>;
};

/** Needs one status request, however many contents the upload has. */
function watchUpload(api: LociApi, uploadId: string): WatchedItem {
  const path = { upload_id: uploadId };
  return {
    progress: null,
    async refresh(signal) {
      const params = { path, query: { limit: 1 } };
      const answered = api.GET('/api/v1/uploads/{upload_id}', { params, ...(signal ? { signal } : {}) });
      const { progress } = await dataOf(answered);
      this.progress = { total: progress.total, settled: progress.settled, byStatus: progress.by_status };
    },
    async failed(signal) {
      const { total = 0, byStatus = {} } = this.progress ?? {};
      if ((byStatus.ready ?? 0) + (byStatus.stored ?? 0) >= total) return [];
      const found: SettledContent[] = [];
      const query = { limit: 1000 };
      const list = paginate(api, '/api/v1/uploads/{upload_id}', { path, query, ...(signal ? { signal } : {}) });
      for await (const content of list) if (!SUCCESSFUL.has(content.status)) found.push(content);
      return found;
    },
  };
}

/** The last known state of a content that is waited for; null once it was deleted. */
type KnownContent = PlacedContent | null;
type PlacedContent = SettledContent & { collection_id: string };

/**
 * Needs a request for each content, or, while they are many, one for each thousand that are unfinished in their collections. Where
 * the lists are longer than what is waited for, 100 contents are asked for in each turn.
 */
function watchContents(api: LociApi, contentIds: readonly string[]): WatchedItem {
  /** In the order in which they were asked for. */
  const known = new Map<string, KnownContent>();
  const isOpen = (id: string): boolean => {
    const content = known.get(id);
    return content === undefined || (content !== null && !SETTLED.has(content.status));
  };
  return {
    progress: null,
    async refresh(signal) {
      const open = new Set(contentIds.filter(isOpen));
      const learn = (id: string, content: KnownContent): void => {
        known.delete(id);
        known.set(id, content);
        open.delete(id);
      };
      const ask = async (id: string): Promise<void> =>
        learn(id, await findContent(api, id, { wasFound: known.has(id), signal }));
      const isFirst = known.size === 0;
      for (const id of isFirst ? contentIds.slice(0, 1) : []) await ask(id);
      const collections = new Set(
        [...known].flatMap(([id, content]) => (content && (isFirst || open.has(id)) ? content.collection_id : [])),
      );
      const take = (content: Content): void => learn(content.id, knownContent(content));
      const areAllListed = await takeUnfinished(api, { open, collections, take, signal });
      const unlisted = [...known.keys()].filter((id) => open.has(id));
      const asked = areAllListed ? unlisted : unlisted.slice(0, SINGLE_REQUESTS);
      const unknown = [...open].filter((id) => !known.has(id));
      await pMap([...unknown, ...asked], ask, { concurrency: REQUEST_CONCURRENCY, ...(signal ? { signal } : {}) });
      this.progress = sumOf([...known.values()].map((content) => ({ progress: progressOf(content) })));
    },
    async failed() {
      const contents = contentIds.flatMap((id) => known.get(id) ?? []);
      return contents.filter(({ status }) => !SUCCESSFUL.has(status)).map(settledContent);
    },
  };
}

async function findContent(
  api: LociApi,
  contentId: string,
  { wasFound, signal }: { wasFound: boolean; signal: AbortSignal | undefined },
): Promise<KnownContent> {
  const params = { path: { content_id: contentId } };
  const answered = await api.GET('/api/v1/contents/{content_id}', { params, ...(signal ? { signal } : {}) });
  if (wasFound && answered.response.status === 404) return null;
  return knownContent(await dataOf(Promise.resolve(answered)));
}

function knownContent({ id, collection_id, name, status, error_code, status_message }: Content): KnownContent {
  return { content_id: id, collection_id, name, status, error_code, status_message };
}

function settledContent({ content_id, name, status, error_code, status_message }: PlacedContent): SettledContent {
  return { content_id, name, status, error_code, status_message };
}

function progressOf(content: KnownContent): WaitProgress {
  if (content === null) return { total: 0, settled: 0, byStatus: {} };
  return { total: 1, settled: SETTLED.has(content.status) ? 1 : 0, byStatus: { [content.status]: 1 } };
}

function sumOf(parts: readonly Pick<WatchedItem, 'progress'>[]): WaitProgress {
  const sum = { total: 0, settled: 0, byStatus: new Map<string, number>() };
  for (const { progress } of parts) {
    sum.total += progress?.total ?? 0;
    sum.settled += progress?.settled ?? 0;
    for (const [status, count] of Object.entries(progress?.byStatus ?? {})) {
      sum.byStatus.set(status, (sum.byStatus.get(status) ?? 0) + count);
    }
  }
  return { ...sum, byStatus: Object.fromEntries(sum.byStatus) };
}
