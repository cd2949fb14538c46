import { indexContents, type IndexGroup } from './index-contents.ts';
import type { CompleteContent } from '#store/uploads/publications.ts';
import type { Ingestion } from './ingestion.ts';
import { takeIndexGroup, type ReadyToIndex } from './take-index-group.ts';

/** Contents that are embedded and written together, bounded by their chunks. */
const MAX_GROUP_CHUNKS = 128;
/** The same for the first group of a time slice of bulk work; each further group may be twice as large. So results come early. */
const FIRST_GROUP_CHUNKS = 16;

/** Indexes contents one group after the other, while others are still being read. */
export type IndexQueue = {
  add(contents: readonly ReadyToIndex[]): void;
  /** Resolves when everything is indexed, or the time slice is over. Returns the number of chunks. @throws the first error. */
  drain(): Promise<number>;
};

type State = { running: Promise<void> | null; failure: { error: unknown } | null; groups: number; chunks: number };

/** Creates a queue. `onFailure` is called once, when indexing has failed: nothing that is added later is indexed. */
export function createIndexQueue(
  ingestion: Ingestion,
  { onComplete, onFailure }: { onComplete: (contents: readonly CompleteContent[]) => void; onFailure: () => void },
): IndexQueue {
  const waiting: ReadyToIndex[] = [];
  const state: State = { running: null, failure: null, groups: 0, chunks: 0 };
  // Every time slice indexes something, however long reading took.
  const isOver = () => state.chunks > 0 && ingestion.pace.timeSlice.isOver();
  // Express uploads are small, and waited for as a whole.
  const isBulk = ingestion.pace.lane === 'bulk';
  const nextGroup = (): IndexGroup => {
    const maxChunks = isBulk ? Math.min(FIRST_GROUP_CHUNKS * 2 ** state.groups, MAX_GROUP_CHUNKS) : MAX_GROUP_CHUNKS;
    const isFirst = isBulk && state.groups === 0;
    state.groups += 1;
    return { ...takeIndexGroup(waiting, maxChunks), isFirst };
  };
  const work = async () => {
    try {
      do state.chunks += await indexContents(ingestion, nextGroup(), onComplete);
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
