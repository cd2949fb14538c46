import { setTimeout as delay } from 'node:timers/promises';

/** Sums the chunks that workers report as written to the index, across restarts. */
export type WorkMeter = {
  /** Starts watching a worker; returns a function that stops watching. */
  watch(workerUrl: string): () => Promise<void>;
  /** Chunks written so far, including those of dead workers. */
  chunks(): number;
};

const COUNTER = /^loci_ingested_chunks_total (\d+)/m;

/**
 * The counter starts at zero in each process. Chunks written after the last reading before a kill are not counted. A reading costs the
 * worker and this process several milliseconds of processor time each, whatever the worker does.
 */
export function createWorkMeter(everyMs: number): WorkMeter {
  let total = 0;
  return {
    watch(workerUrl) {
      const stopping = new AbortController();
      let last: number | null = null;
      const update = async () => {
        const count = await readChunkCount(workerUrl);
        if (count === null) return;
        // Chunks written before the first reading do not belong to this campaign.
        if (last !== null) total += count < last ? count : count - last;
        last = count;
      };
      const watching = (async () => {
        while (!stopping.signal.aborted) {
          await update();
          await delay(everyMs, undefined, { signal: stopping.signal }).catch(() => undefined);
        }
        await update();
      })();
      return async () => {
        stopping.abort();
        await watching;
      };
    },
    chunks: () => total,
  };
}

async function readChunkCount(workerUrl: string): Promise<number | null> {
  try {
    const answer = await fetch(`${workerUrl}/metrics`, { signal: AbortSignal.timeout(1_000) });
    return Number(COUNTER.exec(await answer.text())?.[1] ?? 0);
  } catch {
    return null;
  }
}
