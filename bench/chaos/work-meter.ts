import { setTimeout as delay } from 'node:timers/promises';

/** Adds up what workers say they wrote to the index, across their deaths. */
export type WorkMeter = {
  /** Looks at one more worker; returns a function that stops looking. */
  watch(workerUrl: string): () => Promise<void>;
  /** Chunks written so far, those of dead workers included. */
  chunks(): number;
};

const EVERY_MS = 100;
const COUNTER = /^loci_ingested_chunks_total (\d+)/m;

/** A counter starts at zero with each process; what one wrote in its last tenth of a second before a kill is not seen. */
export function createWorkMeter(): WorkMeter {
  let total = 0;
  return {
    watch(workerUrl) {
      const stopping = new AbortController();
      let last: number | null = null;
      const look = async () => {
        const count = await countOf(workerUrl);
        if (count === null) return;
        // What it had written before is none of this campaign's.
        if (last !== null) total += count < last ? count : count - last;
        last = count;
      };
      const watching = (async () => {
        while (!stopping.signal.aborted) {
          await look();
          await delay(EVERY_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
        }
        await look();
      })();
      return async () => {
        stopping.abort();
        await watching;
      };
    },
    chunks: () => total,
  };
}

async function countOf(workerUrl: string): Promise<number | null> {
  try {
    const answer = await fetch(`${workerUrl}/metrics`, { signal: AbortSignal.timeout(1_000) });
    return Number(COUNTER.exec(await answer.text())?.[1] ?? 0);
  } catch {
    return null;
  }
}
