import { z } from 'zod';
import { WeaviateResponseError } from './weaviate-errors.ts';

export type RestartWatch = {
  /**
   * Begins to watch. The function that it returns is true if the work took longer than a node takes to start and a node may have
   * been started meanwhile. It is also true when there is only another tenant or class since.
   */
  suspecting(): () => Promise<boolean>;
  /** The function is true if a node is gone, came, or was started again, unless no tenant was created since its last start. */
  observing(): Promise<() => Promise<boolean>>;
};

/** A node that was killed is not back as soon as this: starting took 2.3 s on an idle machine. */
const SHORTEST_RESTART_MS = 500;
/** How old a reading may be to begin with. The older, the likelier it is that a tenant was created since. */
const FRESH_MS = 5_000;

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
  /** The end of the log, which every start and every command moves. */
  log: string;
  atMs: number;
};

/**
 * Creates a watch of the processes of Weaviate (1.38). Each start of a node adds to the log of Raft: it joins the others again,
 * or they elect a leader. Where the statistics cannot be read, nothing is ever noticed.
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
    suspecting: () => {
      const startedMs = performance.now();
      const first = latest !== null && startedMs - latest.begunMs < FRESH_MS ? latest.reading : read();
      return async () => {
        if (performance.now() - startedMs < SHORTEST_RESTART_MS) return false;
        const [before, now] = await Promise.all([first, read()]);
        const isBefore = before.atMs - startedMs < SHORTEST_RESTART_MS;
        return !isBefore || areOthers(before, now) || before.log !== now.log;
      };
    },
    observing: async () => {
      const before = await read();
      return async () => areOthers(before, await read());
    },
  };
}

function areOthers(before: Reading, now: Reading): boolean {
  return before.nodes === null || before.nodes !== now.nodes;
}

async function readNodes(readStatistics: () => Promise<unknown>): Promise<Reading> {
  const atMs = () => performance.now();
  try {
    const { statistics } = Statistics.parse(await readStatistics());
    const running = statistics.flatMap(({ name, raft, initialLastAppliedIndex: initial }) =>
      raft ? [{ ...raft, process: `${name}/${initial}` }] : [],
    );
    const last = (values: readonly string[]) => Math.max(0, ...values.map(Number));
    const log = `${last(running.map(({ term }) => term))}/${last(running.map(({ lastLogIndex }) => lastLogIndex))}`;
    const nodes = running.map(({ process }) => process).toSorted();
    return { nodes: nodes.join(), log, atMs: atMs() };
  } catch (error) {
    const isAnswer = error instanceof z.ZodError || (error instanceof WeaviateResponseError && error.status < 500);
    return { nodes: isAnswer ? NOT_SAID : null, log: '', atMs: atMs() };
  }
}
