import { setTimeout as delay } from 'node:timers/promises';
import pMap from 'p-map';
import type { LociApi } from './create-loci-client.ts';
import { dataOf } from './data-of.ts';
import { paginate } from './paginate.ts';
import type { components } from './schema.ts';

/** Contents by their ids, all contents of some uploads, or both. */
export type WaitTarget = {
  contentIds?: readonly string[] | undefined;
  uploadId?: string | undefined;
  uploadIds?: readonly string[] | undefined;
};

export type WaitOptions = {
  /** Ends the waiting; what is waited for goes on. */
  signal?: AbortSignal | undefined;
  /** Called after every look at the service. */
  onProgress?: ((progress: WaitProgress) => void) | undefined;
};

export type WaitProgress = {
  total: number;
  /** Contents with no work under way: ready, failed, cancelled, or only stored. */
  settled: number;
  byStatus: Partial<Record<ContentStatus, number>>;
};

type Content = components['schemas']['Content'];
export type ContentStatus = Content['status'];
export type SettledContent = { content_id: string; name: string; status: ContentStatus; status_message: string | null };

export type ReadyResult = WaitProgress & {
  /** Contents that came to another end than `ready` or `stored`, with the reason in `status_message`. */
  failed: SettledContent[];
};

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 3_000;
const GROWTH = 1.3;
const REQUESTS_AT_ONCE = 4;
const SETTLED: ReadonlySet<string> = new Set<ContentStatus>(['ready', 'stored', 'failed', 'cancelled', 'deleting']);
const GOOD: ReadonlySet<string> = new Set<ContentStatus>(['ready', 'stored']);

/**
 * Waits until nothing of some uploads or contents is under way, asking less often the longer it takes. What is paused is
 * waited for until somebody resumes it. What is deleted meanwhile is no longer counted.
 * @throws LociError when the service cannot be asked, or knows no such upload or content; the reason of `signal` when it was aborted
 */
export async function waitUntilReady(
  api: LociApi,
  target: WaitTarget,
  { signal, onProgress }: WaitOptions = {},
): Promise<ReadyResult> {
  const uploadIds = [...(target.uploadIds ?? []), ...(target.uploadId === undefined ? [] : [target.uploadId])];
  const parts = [
    ...[...new Set(uploadIds)].map((id) => uploadPart(api, id)),
    ...[...new Set(target.contentIds)].map((id) => contentPart(api, id)),
  ];
  const how = { concurrency: REQUESTS_AT_ONCE, ...(signal ? { signal } : {}) };
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(LONGEST_WAIT_MS, waitMs * GROWTH)) {
    signal?.throwIfAborted();
    const open = parts.filter(({ progress }) => progress === null || progress.settled < progress.total);
    await pMap(open, (part) => part.look(signal), how);
    const progress = sumOf(parts);
    onProgress?.(progress);
    if (progress.settled >= progress.total) {
      const failed = await pMap(parts, (part) => part.failed(signal), how);
      return { ...progress, failed: failed.flat() };
    }
    await delay(waitMs, undefined, signal ? { signal } : {});
  }
}

/** One upload or content that is waited for. */
type Part = {
  /** As last seen; null before the first look. */
  progress: WaitProgress | null;
  look(signal: AbortSignal | undefined): Promise<void>;
  failed(signal: AbortSignal | undefined): Promise<SettledContent[]>;
};

/** One request a look, however many contents it has. */
function uploadPart(api: LociApi, uploadId: string): Part {
  const path = { upload_id: uploadId };
  return {
    progress: null,
    async look(signal) {
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
      for await (const content of list) if (!GOOD.has(content.status)) found.push(content);
      return found;
    },
  };
}

function contentPart(api: LociApi, contentId: string): Part {
  let content: SettledContent | null = null;
  return {
    progress: null,
    async look(signal) {
      const params = { path: { content_id: contentId } };
      const answered = await api.GET('/api/v1/contents/{content_id}', { params, ...(signal ? { signal } : {}) });
      const isGone = this.progress !== null && answered.response.status === 404;
      content = isGone ? null : shownContent(await dataOf(Promise.resolve(answered)));
      this.progress = progressOf(content);
    },
    async failed() {
      return content === null || GOOD.has(content.status) ? [] : [content];
    },
  };
}

function shownContent({ id, name, status, status_message }: Content): SettledContent {
  return { content_id: id, name, status, status_message };
}

function progressOf(content: SettledContent | null): WaitProgress {
  if (content === null) return { total: 0, settled: 0, byStatus: {} };
  return { total: 1, settled: SETTLED.has(content.status) ? 1 : 0, byStatus: { [content.status]: 1 } };
}

function sumOf(parts: readonly Part[]): WaitProgress {
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
