import { indexContents, type IndexGroup } from './index-contents.ts';
import type { CompleteContent } from '#store/uploads/publications.ts';
import type { Ingestion } from './ingestion.ts';

/** Contents that are embedded and written together, bounded by their chunks. */
const MAX_GROUP_CHUNKS = 128;

/** A content whose chunk rows are written. */
export type ReadyToIndex = { content_id: string; chunks: number; isRepeated: boolean };

/** Indexes contents one group after the other, while others are still being read. */
export type IndexQueue = {
  add(contents: readonly ReadyToIndex[]): void;
  /** Resolves when everything is indexed, or the time slice is over. Returns the number of chunks. @throws the first error. */
  drain(): Promise<number>;
};

type State = { running: Promise<void> | null; failure: { error: unknown } | null; chunks: number };

/** Creates a queue. `onFailure` is called once, when indexing has failed: nothing that is added later is indexed. */
export function createIndexQueue(
  ingestion: Ingestion,
  { onComplete, onFailure }: { onComplete: (contents: readonly CompleteContent[]) => void; onFailure: () => void },
): IndexQueue {
  const waiting: ReadyToIndex[] = [];
  const state: State = { running: null, failure: null, chunks: 0 };
  // Every time slice indexes something, however long reading took.
  const isOver = () => state.chunks > 0 && ingestion.pace.timeSlice.isOver();
  const work = async () => {
    try {
      do state.chunks += await indexContents(ingestion, takeGroup(waiting), onComplete);
      while (waiting.length > 0 && !isOver());
    } catch (error) {
      state.failure = { error };
      onFailure();
    }
    // What is left when the time slice is over belongs to the next one.
    waiting.length = 0;
    state.running = null;
  };
  return {
    add(contents) {
      if (state.failure !== null || contents.length === 0 || isOver()) return;
      waiting.push(...contents);
      state.running ??= work();
    },
    async drain() {
      while (state.running !== null) await state.running;
      if (state.failure !== null) throw state.failure.error;
      return state.chunks;
    },
  };
}

/** Takes the next contents: as many as fit into a group, at least one. All of them are repeated, or none is. */
function takeGroup(waiting: ReadyToIndex[]): IndexGroup {
  const isRepeated = waiting[0]?.isRepeated ?? false;
  let chunks = 0;
  const end = waiting.findIndex((next, place) => {
    chunks += next.chunks;
    return place > 0 && (chunks > MAX_GROUP_CHUNKS || next.isRepeated !== isRepeated);
  });
  const group = waiting.splice(0, end === -1 ? waiting.length : end);
  return { contentIds: group.map((content) => content.content_id), isRepeated };
}
