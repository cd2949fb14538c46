import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { z } from 'zod';

/** Whom the probe asks, with the key and a collection of a workspace that is not attacked. */
export const Probed = z.object({ baseUrl: z.string(), key: z.string(), collectionId: z.string() });
export type Probed = z.infer<typeof Probed>;

/** `longestMs`: of the requests to `/livez`. `readMs`: times of the reads. `failures`: requests that did not answer 200. */
const Observed = z.object({ longestMs: z.number(), readMs: z.array(z.number()), failures: z.int() });
export type Observed = z.infer<typeof Observed>;

export type Probe = {
  /** What the probe saw while `work` ran. */
  during<Result>(work: () => Promise<Result>): Promise<{ result: Result; observed: Observed }>;
  close(): void;
};

/** Starts a process that asks the service until it is closed. */
export function startProbe({ baseUrl, key, collectionId }: Probed): Probe {
  const probed = JSON.stringify({ baseUrl, key, collectionId });
  const child = fork(join(import.meta.dirname, 'probe-process.ts'), [probed]);
  return {
    async during(work) {
      child.send('begin');
      const result = await work();
      const answered = once(child, 'message');
      child.send('end');
      const [message] = (await answered) as unknown[];
      return { result, observed: Observed.parse(message) };
    },
    close: () => child.disconnect(),
  };
}
