import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { WeaviateResponseError } from './weaviate-errors.ts';

/** Begins to watch. The function that it returns tells whether a node may have been started again since. */
export type RestartWatch = () => () => Promise<boolean>;

/** A node that is killed is not back as soon as this, so nothing that takes less time meets both processes of a node. */
const SHORTEST_RESTART_MS = 500;
/** A node may answer other nodes before the others have taken it in again. */
const ADMISSION_MS = 200;

const Statistics = z.object({
  statistics: z.array(
    z.object({
      raft: z.object({ term: z.coerce.number(), latestConfigurationIndex: z.coerce.number() }).optional(),
    }),
  ),
});

type Reading = { members: string | null; atMs: number };

/**
 * Creates a watch of the nodes of Weaviate (1.38). A node that is started joins the others: their leader writes the members to the
 * log of Raft again, also when they are the same; and when the leader itself is gone, there is another term. So as long as
 * neither the term nor the place of the latest members in the log change, no node has been started. Work that ends within half a
 * second is not looked at, other work costs one request. A key that may not read the cluster gets no answer; then no restart is seen.
 *
 * @param readStatistics Requests `/v1/cluster/statistics`.
 */
export function createRestartWatch(readStatistics: () => Promise<unknown>): RestartWatch {
  let latest: Promise<Reading> | null = null;

  function read(): Promise<Reading> {
    const reading = readMembers(readStatistics).then((members) => ({ members, atMs: performance.now() }));
    latest = reading;
    return reading;
  }

  return () => {
    const startedMs = performance.now();
    const first = latest ?? read();
    return async () => {
      if (performance.now() - startedMs < SHORTEST_RESTART_MS) return false;
      await delay(ADMISSION_MS);
      const [before, now] = await Promise.all([first, read()]);
      const isBefore = before.atMs - startedMs < SHORTEST_RESTART_MS;
      return !isBefore || before.members === null || before.members !== now.members;
    };
  };
}

/** The members as the nodes know them that answer; null when none does. */
async function readMembers(readStatistics: () => Promise<unknown>): Promise<string | null> {
  try {
    const { statistics } = Statistics.parse(await readStatistics());
    const known = statistics.flatMap(({ raft }) => raft ?? []);
    if (known.length === 0) return null;
    const term = Math.max(...known.map((node) => node.term));
    const index = Math.max(...known.map((node) => node.latestConfigurationIndex));
    return `${term}/${index}`;
  } catch (error) {
    return error instanceof WeaviateResponseError && error.status === 403 ? 'not allowed' : null;
  }
}
