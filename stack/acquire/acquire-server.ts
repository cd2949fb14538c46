import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { buildWithGo } from './build-with-go.ts';
import { downloadFile, downloadText } from './download-file.ts';
import { waitForExclusiveLock } from '#stack/processes/exclusive-lock.ts';
import { findOnPath, isExecutable, runCommand } from '#stack/processes/run-command.ts';
import { reasonOf, StackError } from '#stack/stack-error.ts';
import type { Log } from '#stack/timed-step.ts';
import { currentPlatform, type Release, type ServerSource } from '#stack/versions.ts';
import type { AcquireContext } from './acquire-context.ts';

export type AcquireOptions = {
  /** Returns the reason to reject a binary found on PATH, or null to accept it. */
  rejectPathBinary?: (binary: string) => Promise<string | null>;
};

/**
 * Finds or obtains the executable of a server. The first source that works is used: the setting, PATH, the cache, the
 * official release, a Go build. If several processes call this at once, one obtains the executable and the others wait.
 * @returns the path of the executable
 * @throws StackError that lists what was tried and what to do
 */
export async function acquireServer(
  source: ServerSource,
  context: AcquireContext,
  options: AcquireOptions = {},
): Promise<string> {
  const named = context.environment[source.binarySetting];
  if (named !== undefined && named !== '') {
    if (!isExecutable(named)) throw new StackError(`${named} (${source.binarySetting}) is not an executable file.`);
    context.log(`${source.title}: ${named} (${source.binarySetting})`);
    return named;
  }
  return (await findUsableOnPath(source, context, options)) ?? (await findCachedOrObtain(source, context));
}

async function findUsableOnPath(
  source: ServerSource,
  context: AcquireContext,
  options: AcquireOptions,
): Promise<string | null> {
  const found = findOnPath(source.pathNames, context.environment['PATH']);
  if (found === null) return null;
  const rejection = (await options.rejectPathBinary?.(found)) ?? null;
  context.log(
    rejection === null ? `${source.title}: ${found} (on PATH)` : `${source.title}: ${found} is not used: ${rejection}`,
  );
  return rejection === null ? found : null;
}

async function findCachedOrObtain(source: ServerSource, context: AcquireContext): Promise<string> {
  const folder = join(context.cacheDir, `${source.name}-${source.version}`);
  const executable = join(folder, source.name);
  if (isExecutable(executable)) {
    context.log(`${source.title} ${source.version}: from the cache`);
    return executable;
  }
  const lock = await waitForExclusiveLock(
    join(context.cacheDir, 'locks', `${source.name}-${source.version}.lock`),
    () => context.log(`${source.title}: waiting for another process that is obtaining it`),
  );
  const work = join(context.cacheDir, `.partial-${source.name}-${randomBytes(6).toString('hex')}`);
  try {
    if (isExecutable(executable)) return executable;
    await removePartialFolders(context.cacheDir, `.partial-${source.name}-`);
    await mkdir(work, { recursive: true });
    const obtained = await obtain(source, work, context);
    await chmod(obtained, 0o755);
    const ready = join(work, 'ready');
    await mkdir(ready);
    await rename(obtained, join(ready, source.name));
    await rm(folder, { recursive: true, force: true });
    await rename(ready, folder);
    return executable;
  } finally {
    await rm(work, { recursive: true, force: true });
    lock.release();
  }
}

/** Removes partial folders of processes that were killed while obtaining something. The caller must hold the lock. */
export async function removePartialFolders(cacheDir: string, prefix: string): Promise<void> {
  for (const name of await readdir(cacheDir)) {
    if (name.startsWith(prefix)) await rm(join(cacheDir, name), { recursive: true, force: true });
  }
}

async function obtain(source: ServerSource, work: string, context: AcquireContext): Promise<string> {
  const failures: string[] = [];
  const platform = currentPlatform();
  const { releases } = source;
  if (releases === null) failures.push('it is only built from its modules');
  else if (platform === null) failures.push(`there is no official release for ${process.platform}-${process.arch}`);
  else {
    try {
      return await fromRelease(source, releases[platform], { work, log: context.log });
    } catch (error) {
      failures.push(`official release: ${reasonOf(error)}`);
      context.log(`  not available: ${reasonOf(error)}`);
    }
  }
  try {
    return await buildWithGo(source, work, context);
  } catch (error) {
    failures.push(`build with Go: ${reasonOf(error)}`);
  }
  throw new StackError(
    [
      `${source.title} ${source.version} could not be obtained:`,
      ...failures.map((failure) => `  - ${failure}`),
      'Do one of the following:',
      ...(releases === null ? [] : [`  - give this machine access to ${new URL(releases['linux-x64'].url).host}`]),
      '  - install Go 1.26 or newer (https://go.dev/dl), with access to a Go module proxy',
      `  - set ${source.binarySetting} to an existing executable`,
      ...(source.insteadSetting === null ? [] : [`  - set ${source.insteadSetting} to a running server`]),
    ].join('\n'),
  );
}

async function fromRelease(
  source: ServerSource,
  release: Release,
  { work, log }: { work: string; log: Log },
): Promise<string> {
  const archive = join(work, basename(new URL(release.url).pathname));
  const sha256 =
    typeof release.sha256 === 'string' ? release.sha256 : await fetchPublishedChecksum(release.sha256.publishedAt);
  await downloadFile({
    url: release.url,
    to: archive,
    sha256,
    log: (line) => log(`${line.startsWith(' ') ? '' : `${source.title} ${source.version}: `}${line}`),
  });
  // tar on Linux reads .tar.gz; tar on macOS also reads .zip.
  await runCommand({ file: 'tar', args: ['-xf', archive, '-C', work] });
  const executable = join(work, source.releaseExecutable);
  if (!isExecutable(executable)) throw new StackError(`${release.url} does not contain ${source.releaseExecutable}`);
  return executable;
}

async function fetchPublishedChecksum(url: string): Promise<string> {
  const match = /\b[0-9a-f]{64}\b/i.exec(await downloadText(url));
  if (match === null) throw new StackError(`${url} does not contain a SHA-256`);
  return match[0].toLowerCase();
}
