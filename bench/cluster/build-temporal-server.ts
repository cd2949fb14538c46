import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { removePartialFolders } from '#stack/acquire/acquire-server.ts';
import { buildWithGo } from '#stack/acquire/build-with-go.ts';
import { waitForExclusiveLock } from '#stack/processes/exclusive-lock.ts';
import type { ServerContext } from '#stack/servers/server-context.ts';
import { TEMPORAL_SERVER } from '#stack/versions.ts';

export type TemporalBinaries = { server: string; sqlTool: string };

/** Returns the server as clusters run it and the tool for its schema, built once with Go into the cache. @throws StackError */
export async function buildTemporalServer({
  cacheDir,
  environment,
  log,
}: Pick<ServerContext, 'cacheDir' | 'environment' | 'log'>): Promise<TemporalBinaries> {
  const { name, title, version } = TEMPORAL_SERVER;
  const folder = join(cacheDir, `${name}-${version}`);
  const binaries = { server: join(folder, 'server'), sqlTool: join(folder, 'sql') };
  if (existsSync(folder)) return binaries;
  const lock = await waitForExclusiveLock(join(cacheDir, 'locks', `${name}-${version}.lock`), () =>
    log(`${title}: waiting for another process that is building it`),
  );
  const partial = `.partial-${name}-`;
  const work = join(cacheDir, `${partial}${process.pid}`);
  try {
    if (existsSync(folder)) return binaries;
    await removePartialFolders(cacheDir, partial);
    await mkdir(work, { recursive: true });
    const built = await buildWithGo(TEMPORAL_SERVER, work, { cacheDir, environment, log });
    await rename(dirname(built), folder);
  } finally {
    await rm(work, { recursive: true, force: true });
    lock.release();
  }
  return binaries;
}
