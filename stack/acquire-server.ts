import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { buildWithGo } from './build-with-go.ts';
import { downloadFile, downloadText } from './download-file.ts';
import { waitForExclusiveLock } from './exclusive-lock.ts';
import { findOnPath, isExecutable, runCommand } from './run-command.ts';
import { reasonOf, StackError } from './stack-error.ts';
import type { Log } from './timed-step.ts';
import { currentPlatform, type Release, type ServerSource } from './versions.ts';

export type AcquireContext = {
  cacheDir: string;
  environment: NodeJS.ProcessEnv;
  log: Log;
};

export type AcquireOptions = {
  /** Says why a binary found on PATH is not good enough, or null when it is. */
  rejectPathBinary?: (binary: string) => Promise<string | null>;
};

/**
 * Finds or obtains the executable of a server, first match wins: named by its setting, on PATH, in the cache, the official
 * release, a Go build. Several processes may ask at once: one obtains, the others wait for it.
 * @returns the path of the executable
 * @throws StackError that says what was tried and what to do
 */
export async function acquireServer(
  source: ServerSource,
  context: AcquireContext,
  options: AcquireOptions = {},
): Promise<string> {
  const named = context.environment[source.binarySetting];
  if (named !== undefined && named !== '') {
    if (!isExecutable(named))
      throw new StackError(`${source.binarySetting} names ${named}, which is not an executable file.`);
    context.log(`${source.title}: ${named} (${source.binarySetting})`);
    return named;
  }
  return (await onPath(source, context, options)) ?? (await cachedOrObtained(source, context));
}

async function onPath(source: ServerSource, context: AcquireContext, options: AcquireOptions): Promise<string | null> {
  const found = findOnPath(source.pathNames, context.environment['PATH']);
  if (found === null) return null;
  const objection = (await options.rejectPathBinary?.(found)) ?? null;
  context.log(
    objection === null
      ? `${source.title}: ${found} (on PATH)`
      : `${source.title}: ${found} is passed over: ${objection}`,
  );
  return objection === null ? found : null;
}

async function cachedOrObtained(source: ServerSource, context: AcquireContext): Promise<string> {
  const folder = join(context.cacheDir, `${source.name}-${source.version}`);
  const executable = join(folder, source.name);
  if (isExecutable(executable)) {
    context.log(`${source.title} ${source.version}: from the cache`);
    return executable;
  }
  const lock = await waitForExclusiveLock(
    join(context.cacheDir, 'locks', `${source.name}-${source.version}.lock`),
    () => context.log(`${source.title}: another process is obtaining it, waiting`),
  );
  const work = join(context.cacheDir, `.partial-${source.name}-${randomBytes(6).toString('hex')}`);
  try {
    if (isExecutable(executable)) return executable;
    await removeUnfinished(context.cacheDir, `.partial-${source.name}-`);
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

/** Removes what a process left behind that was killed while it obtained something. Only for the holder of the lock. */
export async function removeUnfinished(cacheDir: string, prefix: string): Promise<void> {
  for (const name of await readdir(cacheDir)) {
    if (name.startsWith(prefix)) await rm(join(cacheDir, name), { recursive: true, force: true });
  }
}

async function obtain(source: ServerSource, work: string, context: AcquireContext): Promise<string> {
  const failures: string[] = [];
  const platform = currentPlatform();
  if (platform === null) failures.push(`there is no official release for ${process.platform}-${process.arch}`);
  else {
    try {
      return await fromRelease(source, source.releases[platform], { work, log: context.log });
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
      'Any one of these helps:',
      `  - let this machine reach ${new URL(Object.values(source.releases)[0]?.url ?? '').host}`,
      '  - install Go 1.26 or newer (https://go.dev/dl) and let it reach a Go module proxy',
      `  - set ${source.binarySetting} to an executable you have`,
      `  - set ${source.name === 'temporal' ? 'LOCI_TEMPORAL_ADDRESS' : 'LOCI_WEAVIATE_URL'} to a server that runs already`,
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
    typeof release.sha256 === 'string' ? release.sha256 : await publishedChecksum(release.sha256.publishedAt);
  await downloadFile({
    url: release.url,
    to: archive,
    sha256,
    log: (line) => log(`${line.startsWith(' ') ? '' : `${source.title} ${source.version}: `}${line}`),
  });
  // Linux's tar reads .tar.gz, and macOS's reads .zip too.
  await runCommand({ file: 'tar', args: ['-xf', archive, '-C', work] });
  const executable = join(work, source.releaseExecutable);
  if (!isExecutable(executable)) throw new StackError(`${release.url} holds no ${source.releaseExecutable}`);
  return executable;
}

async function publishedChecksum(url: string): Promise<string> {
  const match = /\b[0-9a-f]{64}\b/i.exec(await downloadText(url));
  if (match === null) throw new StackError(`${url} holds no SHA-256`);
  return match[0].toLowerCase();
}
