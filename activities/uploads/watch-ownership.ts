import { collectionScope } from '#domain/access/scope.ts';
import { runContentsOf } from '#activities/step.ts';
import type { OwnedContent } from '#store/contents/contents.ts';
import type { Ingestion } from './ingestion.ts';

const CHECK_EVERY_MS = 1_000;

/** Watches contents while they are read. Dispose it at the end. */
export type OwnershipWatch = AsyncDisposable & {
  /** Aborted when one of the contents is cancelled, deleted or replaced, or takes longer to read than the pace allows. */
  signal: AbortSignal;
  /** Whether the time to read was over. */
  readonly isTimeOver: boolean;
};

/**
 * Shows contents as being read once that has lasted a second, which most never reach. Checks every second that the run still owns the contents, so that a cancelled document frees its process at once instead of
 * being read to the end.
 */
export function watchOwnership(
  { services, batch, pace }: Ingestion,
  contents: readonly OwnedContent[],
): OwnershipWatch {
  const controller = new AbortController();
  const startedMs = performance.now();
  const ids = contents.map((content) => content.content_id);
  let checking: Promise<void> = Promise.resolve();
  let isTimeOver = false;
  let isShown = false;
  const check = async () => {
    try {
      const { runs } = services.stores;
      const owned = await runs.stagesOf(collectionScope(batch), runContentsOf(batch, ids));
      const reading = owned.filter((content) => content.stage === 'reading').map((content) => content.content_id);
      if (!isShown) await runs.show(collectionScope(batch), runContentsOf(batch, reading), 'reading');
      isShown = true;
      if (owned.length < ids.length) controller.abort(new Error('a content was cancelled while it was read'));
    } catch {
      // The database does not answer: the next statement of the step reports that.
    }
  };
  const timer = setInterval(() => {
    isTimeOver = pace.maxReadMs !== null && performance.now() - startedMs > pace.maxReadMs;
    if (isTimeOver) controller.abort(new Error('reading takes too long for the express way'));
    else checking = checking.then(check);
  }, CHECK_EVERY_MS);
  return {
    signal: controller.signal,
    get isTimeOver() {
      return isTimeOver;
    },
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      await checking;
    },
  };
}
