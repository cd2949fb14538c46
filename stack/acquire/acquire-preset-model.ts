import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { presetOf, type PresetName } from '#providers/embedders/model-presets.ts';
import type { AcquireContext } from './acquire-context.ts';
import type { AcquiredModel } from './acquire-embedding-model.ts';
import { downloadResumable } from './download-resumable.ts';
import { hubOf, readRevision, type HubFile, type HubRevision } from './read-revision.ts';
import { waitForExclusiveLock } from '#stack/processes/exclusive-lock.ts';
import { reasonOf, StackError } from '#stack/stack-error.ts';

/** Weights that are looked for, smallest first, as in `providers/embedders/model-folder.ts`. Large ones have a file of data beside them. */
const WEIGHTS = ['onnx/model_quantized.onnx', 'onnx/model.onnx', 'model_quantized.onnx', 'model.onnx'];
const DATA_ENDINGS = ['_data', '.data'];
const REQUIRED = ['config.json', 'tokenizer.json'];
const OPTIONAL = ['tokenizer_config.json', 'special_tokens_map.json', 'sentence_bert_config.json'];
const COMPLETE = 'download.json';

/**
 * Finds the model of a preset in the cache, or downloads it from the model hub: the newest commit, each file checked against the
 * checksum that the hub has for it. A download that was interrupted goes on. A model that cannot be obtained is not an error.
 */
export async function acquirePresetModel(preset: PresetName, context: AcquireContext): Promise<AcquiredModel> {
  const folder = join(context.cacheDir, 'models', preset);
  if (isUsable(folder)) {
    context.log(`Embedding model ${preset}: from the cache`);
    return { folder };
  }
  const lock = await waitForExclusiveLock(join(context.cacheDir, 'locks', `model-${preset}.lock`), () =>
    context.log('Embedding model: waiting for another process that is obtaining it'),
  );
  try {
    if (!isUsable(folder)) await download(preset, { folder, context });
    return { folder };
  } catch (error) {
    return { unavailable: `the model ${preset} could not be obtained: ${reasonOf(error)}` };
  } finally {
    lock.release();
  }
}

async function download(
  preset: PresetName,
  { folder, context }: { folder: string; context: AcquireContext },
): Promise<void> {
  const repository = presetOf(preset)?.repository ?? '';
  const revision = await readRevision(context.environment, repository);
  const files = filesOf(repository, revision);
  const partial = join(context.cacheDir, `.download-${preset}-${revision.commit.slice(0, 12)}`);
  await removeOtherCommits(context.cacheDir, preset, partial);
  const { headers } = hubOf(context.environment);
  for (const file of files) {
    const to = join(partial, file.path);
    await mkdir(dirname(to), { recursive: true });
    await downloadResumable({
      file,
      to,
      headers,
      log: (line) => context.log(line.startsWith(' ') ? line : `Embedding model: ${line}`),
    });
  }
  const checksums = files.map(({ path, checksum }) => ({ path, ...checksum }));
  await writeFile(join(partial, COMPLETE), JSON.stringify({ repository, commit: revision.commit, files: checksums }));
  await mkdir(dirname(folder), { recursive: true });
  await rm(folder, { recursive: true, force: true });
  await rename(partial, folder);
}

/** What an interrupted download of an older commit left. */
async function removeOtherCommits(cacheDir: string, preset: PresetName, current: string): Promise<void> {
  for (const name of await readdir(cacheDir)) {
    const path = join(cacheDir, name);
    if (name.startsWith(`.download-${preset}-`) && path !== current) await rm(path, { recursive: true, force: true });
  }
}

/** Names are compared, never used as paths, unless they are known. */
function filesOf(repository: string, { files }: HubRevision): HubFile[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const weights = WEIGHTS.find((path) => byPath.has(path));
  const missing = [...REQUIRED.filter((path) => !byPath.has(path)), ...(weights ? [] : [WEIGHTS.join(' or ')])];
  if (!weights || missing.length > 0) throw new StackError(`${repository} has no ${missing.join(', no ')}`);
  const wanted = [...REQUIRED, ...OPTIONAL, weights, ...DATA_ENDINGS.map((ending) => weights + ending)];
  return wanted.flatMap((path) => byPath.get(path) ?? []);
}

/** A folder that was put there by hand may be laid out in other ways, and is left to the embedder to judge. */
function isUsable(folder: string): boolean {
  return existsSync(join(folder, 'tokenizer.json'));
}
