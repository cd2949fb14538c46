import { z } from 'zod';
import { WeaviateResponseError } from './weaviate-errors.ts';

export type RestartWatch = {
  /**
   * Begins to watch a write. The function that it returns is true if the write took longer than a node takes to start, and a node
   * may have been started meanwhile.
   */
  suspecting(): Promise<() => Promise<boolean>>;
  /** The function is true if a node is gone, came, or was certainly started again. */
  observing(): Promise<() => Promise<boolean>>;
};

/** A node that was killed is not back as soon as this: starting took 2.3 s on an idle machine. */
const SHORTEST_RESTART_MS = 500;
/** How old a reading may be to begin with. */
const FRESH_MS = 5_000;
/** Nodes that are only started, again and again, do not add as many entries to the log before somebody creates a tenant. */
const MAX_ENTRIES_OF_STARTS = 50;

/** What is used of the statistics. A node that does not answer has only a name. */
const Statistics = z.object({
  statistics: z.array(
    z.object({
      name: z.string(),
      raft: z.object({ term: z.string().default('0'), lastLogIndex: z.string().default('0') }).optional(),
      /** Left out when it is zero. */
      initialLastAppliedIndex: z.number().default(0),
    }),
  ),
});

/** Stands for the nodes where the key may not read the cluster, or the server or a proxy before it has no such statistics. */
const NOT_SAID = 'not said';

type Reading = {
  /** The nodes that answer, each with the last command in its log when it started. Null when Weaviate did not answer. */
  nodes: string | null;
  /** Another one after each election of a leader. */
  term: number;
  /** The end of the log, which every start and every command moves. */
  end: number;
  /** The largest of the last commands in `nodes`. */
  lastAtStart: number;
};

/**
 * Creates a watch of the processes of Weaviate (1.38). Each start of a node adds to the log of Raft: it joins the others again,
 * or they elect a leader. So does each command: a tenant that is created, or activated by its first use. A node that starts after
 * a command names another last command than before. Where statistics do not exist or may not be read, nothing is noticed.
 *
 * @param readStatistics Requests `/v1/cluster/statistics`.
 */
export function createRestartWatch(readStatistics: () => Promise<unknown>): RestartWatch {
  let latest: { begunMs: number; reading: Promise<Reading> } | null = null;

  function read(): Promise<Reading> {
    latest = { begunMs: performance.now(), reading: readNodes(readStatistics) };
    return latest.reading;
  }

  return {
    suspecting: async () => {
      const isFresh = (reading: { begunMs: number }) => performance.now() - reading.begunMs < FRESH_MS;
      const before = await (latest !== null && isFresh(latest) ? latest.reading : read());
      const startedMs = performance.now();
      return async () => {
        if (performance.now() - startedMs < SHORTEST_RESTART_MS) return false;
        const now = await read();
        return now.nodes === null || before.nodes === null || areOthers(before, now) || mayHideStarts(before, now);
      };
    },
    observing: async () => {
      const before = await read();
      return async () => areOthers(before, await read());
    },
  };
}

/** False when one of them is not known: a cluster that is too busy to answer must not make a write fail again and again. */
function areOthers(before: Reading, now: Reading): boolean {
  return before.nodes !== null && now.nodes !== null && before.nodes !== now.nodes;
}

/** True if what was added to the log may be the start of a node, which names the same last command if there was no other. */
function mayHideStarts(before: Reading, now: Reading): boolean {
  if (before.term !== now.term) return true;
  return before.end !== now.end && before.end - before.lastAtStart < MAX_ENTRIES_OF_STARTS;
}

async function readNodes(readStatistics: () => Promise<unknown>): Promise<Reading> {
  try {
    const { statistics } = Statistics.parse(await readStatistics());
    const running = statistics.flatMap(({ name, raft, initialLastAppliedIndex: last }) =>
      raft ? [{ name, last, term: Number(raft.term), end: Number(raft.lastLogIndex) }] : [],
    );
    const nodes = running.map(({ name, last }) => `${name}/${last}`).toSorted();
    const largest = (values: readonly number[]) => Math.max(0, ...values);
    return {
      nodes: nodes.join(),
      term: largest(running.map(({ term }) => term)),
      end: largest(running.map(({ end }) => end)),
      lastAtStart: largest(running.map(({ last }) => last)),
    };
  } catch (error) {
    const isAnswer = error instanceof z.ZodError || (error instanceof WeaviateResponseError && error.status < 500);
    return { nodes: isAnswer ? NOT_SAID : null, term: 0, end: 0, lastAtStart: 0 };
  }
}
