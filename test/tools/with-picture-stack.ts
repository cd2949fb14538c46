import { randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type RunningStack, startLocalStack } from '#stack/local-stack.ts';
import { createLociServices, migrate, prepareFirstRun } from '#stack/loci-services.ts';
import { timedStep } from '#stack/timed-step.ts';

const log = (line: string) => console.log(line);

export type First = Awaited<ReturnType<typeof prepareFirstRun>>;

/** Starts a temporary product with the first collection and key, and stops it afterwards, also when it is interrupted. */
export async function withPictureStack(use: (stack: RunningStack, first: First) => Promise<void>): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));
  const others = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('LOCI_') || name.endsWith('_BINARY') || name === 'LOCI_CACHE_DIR',
  );
  const environment = Object.fromEntries(others);
  const stack = await startLocalStack({
    stateDir: join(realpathSync(tmpdir()), `loci-picture-${randomBytes(6).toString('hex')}`),
    cacheDir: resolve(environment['LOCI_CACHE_DIR'] ?? join(homedir(), '.cache', 'loci')),
    ports: 'free',
    environment,
    isTemporary: true,
    log,
  });
  const services = createLociServices(stack);
  try {
    await migrate(stack);
    const first = await prepareFirstRun(stack);
    await timedStep({ log, title: 'Starting API and worker' }, async () => {
      await Promise.all([services.api.start(), services.worker.start()]);
    });
    await use(stack, first);
  } finally {
    await services.api.stop();
    await services.worker.stop();
    await stack.stop();
  }
}
