import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { downloadFile } from '#stack/acquire/download-file.ts';
import { waitForExclusiveLock } from '#stack/processes/exclusive-lock.ts';
import { findOnPath, runCommand } from '#stack/processes/run-command.ts';
import { reasonOf, StackError } from '#stack/stack-error.ts';

/** A server written in C that only tests need. Its sources are those of Debian 13. */
export type BuiltServer = {
  name: string;
  version: string;
  sources: readonly { folder: string; url: string; sha256: string }[];
  /** Shell commands, run one after the other in the folder of the unpacked sources, `$PWD/out` being free for their results. */
  build: readonly string[];
  /** Of the executable, in the folder of the sources. */
  executable: string;
};

const log = (line: string) => console.log(line);

/**
 * Returns the executable of a server: from the cache, or built once from its sources with a C compiler and make, in one or two
 * minutes. Returns null where it cannot be had, and says why.
 */
export async function builtServer(server: BuiltServer): Promise<string | null> {
  const cacheDir = resolve(process.env['LOCI_CACHE_DIR'] ?? join(homedir(), '.cache', 'loci'));
  const title = `${server.name} ${server.version}`;
  const folder = join(cacheDir, `${server.name}-${server.version}`);
  const executable = join(folder, server.name);
  if (existsSync(executable)) return executable;
  const lock = await waitForExclusiveLock(join(cacheDir, 'locks', `${server.name}-${server.version}.lock`), () =>
    log(`${title}: waiting for another process that is building it`),
  );
  const work = join(cacheDir, `.partial-${server.name}-${randomBytes(6).toString('hex')}`);
  try {
    if (existsSync(executable)) return executable;
    const built = await build(server, work);
    const ready = join(work, 'ready');
    await mkdir(ready);
    await copyFile(built, join(ready, server.name));
    await chmod(join(ready, server.name), 0o755);
    await rename(ready, folder);
    return executable;
  } catch (error) {
    log(`${title} could be neither found nor built, so that its tests are skipped: ${reasonOf(error)}`);
    return null;
  } finally {
    await rm(work, { recursive: true, force: true });
    lock.release();
  }
}

async function build({ name, version, sources, build: commands, executable }: BuiltServer, work: string) {
  for (const tool of ['cc', 'make']) {
    if (findOnPath([tool], process.env['PATH']) === null) throw new StackError(`there is no ${tool} on PATH`);
  }
  log(`${name} ${version}: building it from its sources; this happens only once`);
  await mkdir(work, { recursive: true });
  for (const { folder, url, sha256 } of sources) {
    const archive = join(work, 'archive');
    await downloadFile({ url, to: archive, sha256, log });
    const to = join(work, folder);
    await mkdir(to);
    await runCommand({ file: 'tar', args: ['-xf', archive, '-C', to, '--strip-components=1'] });
  }
  for (const command of commands) await runCommand({ file: 'sh', args: ['-c', command], cwd: work });
  return join(work, executable);
}
