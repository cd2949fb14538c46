import { acquireEmbeddingModel, type AcquiredModel } from './acquire-embedding-model.ts';
import type { AcquireContext } from './acquire-context.ts';
import { acquirePresetModel } from './acquire-preset-model.ts';
import { readEmbedderRecord, writeEmbedderRecord, type EmbedderRecord } from './embedder-record.ts';
import { hashFile, modelFolderOf, readModelFolder } from '#providers/embedders/model-folder.ts';
import { modelUseOf, PRESET_NAMES, type PresetName } from '#providers/embedders/model-presets.ts';
import { reasonOf, StackError } from '#stack/stack-error.ts';
import { EMBEDDING_MODEL } from '#stack/versions.ts';

/** `stateDir` has the record of the embedders that its collections were made with. */
export type EmbedderContext = AcquireContext & { stateDir: string };

/** What the settings say about the local model. */
type Asked = {
  model: string;
  preset: PresetName | null;
  folder: string | null;
  /** A setting asks for the model, so that `lexical` never takes its place. */
  isNamed: boolean;
};

/**
 * Returns the embedder settings to add to the environment: none if the environment selects `openai` or `lexical`,
 * otherwise those of the local model, otherwise `lexical` with the reason. What is chosen is written down in the state folder: later
 * starts accept only the same weights of a model, and never replace a model by `lexical`.
 * @throws StackError if the environment or an earlier start selected a model that cannot be obtained, or that has other weights now
 */
export async function chooseEmbedder(context: EmbedderContext): Promise<Record<string, string>> {
  const { LOCI_EMBEDDER: embedder } = context.environment;
  if (embedder === 'openai' || embedder === 'lexical') return {};
  const record = readEmbedderRecord(context.stateDir);
  const asked = askedModel(context);
  const recorded = record.weights[asked.model] ?? null;
  if (!asked.isNamed && recorded === null && record.isLexical) return lexicalAsBefore(record);
  const acquired = await acquire(asked, { context, recorded });
  if ('unavailable' in acquired) {
    if (recorded !== null) throw new StackError(unobtainable(asked.model, { record, reason: acquired.unavailable }));
    if (asked.isNamed) throw new StackError(`${acquired.unavailable}\n${otherSources()}`);
    writeEmbedderRecord({ ...record, isLexical: true });
    return { LOCI_EMBEDDER: 'lexical', LOCI_EMBEDDER_NOTE: acquired.unavailable };
  }
  const weights = await weightsIn(acquired.folder, { asked, context });
  if (recorded !== null && weights !== recorded) {
    throw new StackError(otherWeights(asked.model, { record, found: weights, folder: acquired.folder }));
  }
  writeEmbedderRecord({ ...record, weights: { ...record.weights, [asked.model]: weights } });
  // The files of an export often do not say how the model pools.
  const preset = asked.folder === null && asked.preset !== null ? { LOCI_EMBEDDER_PRESET: asked.preset } : {};
  return { LOCI_EMBEDDER: 'local', ...preset, LOCI_EMBEDDER_FOLDER: acquired.folder };
}

/** The name of a model that can be obtained is also that of its preset; the model that is used without any setting needs none. */
function askedModel({ environment }: EmbedderContext): Asked {
  const folder = environment['LOCI_EMBEDDER_FOLDER'] || null;
  const named = environment['LOCI_EMBEDDER_MODEL'] || environment['LOCI_EMBEDDER_PRESET'];
  const model = named || EMBEDDING_MODEL.name;
  const isObtained = folder === null && model !== EMBEDDING_MODEL.name;
  const presetName = environment['LOCI_EMBEDDER_PRESET'] || (isObtained ? model : null);
  const preset = PRESET_NAMES.find((name) => name === presetName) ?? null;
  const isNamed = environment['LOCI_EMBEDDER'] === 'local' || Boolean(named) || folder !== null;
  return { model, preset, folder, isNamed };
}

/** A model that was asked for by name is never replaced by another one. */
async function acquire(
  { model, preset, folder }: Asked,
  { context, recorded }: { context: EmbedderContext; recorded: string | null },
): Promise<AcquiredModel> {
  if (folder !== null) {
    context.log(`Embedding model: ${folder} (LOCI_EMBEDDER_FOLDER)`);
    return { folder };
  }
  if ((preset ?? model) === EMBEDDING_MODEL.name) return acquireEmbeddingModel(context, recorded);
  if (preset !== null) return acquirePresetModel(preset, context);
  throw new StackError(
    `Only presets can be obtained automatically: ${PRESET_NAMES.join(', ')}. For ${model}, set LOCI_EMBEDDER_FOLDER to its folder.`,
  );
}

/** @throws StackError if the folder has no model that the embedder could use */
async function weightsIn(
  folder: string,
  { asked: { model, preset }, context }: { asked: Asked; context: EmbedderContext },
): Promise<string> {
  try {
    const place = modelFolderOf({ model, folder, cacheDir: context.cacheDir });
    return await hashFile((await readModelFolder(place, modelUseOf({ preset }))).weightsPath);
  } catch (error) {
    throw new StackError(reasonOf(error), { cause: error });
  }
}

function lexicalAsBefore({ path }: EmbedderRecord): Record<string, string> {
  const note = `no model could be obtained when this state folder was made (${path}). LOCI_EMBEDDER=local obtains it for new collections`;
  return { LOCI_EMBEDDER: 'lexical', LOCI_EMBEDDER_NOTE: note };
}

function otherSources(): string {
  return 'Set HF_ENDPOINT to a mirror that can be reached, or LOCI_EMBEDDER_FOLDER to a folder that contains the model.';
}

type Refused = { record: EmbedderRecord; reason: string };

function unobtainable(model: string, { record, reason }: Refused): string {
  return [
    `The collections of this state folder need the model ${model} with the weights ${record.weights[model]} (SHA-256, in ${record.path}),`,
    `but ${reason}`,
    `Start with a network, or set LOCI_EMBEDDER_FOLDER to a folder that contains this model.`,
    changedOnPurpose(model, record),
  ].join('\n');
}

function otherWeights(
  model: string,
  { record, found, folder }: { record: EmbedderRecord; found: string; folder: string },
): string {
  return [
    `The weights of the model ${model} in ${folder} (SHA-256 ${found}) are others than those that the collections of this state`,
    `folder were made with (${record.weights[model]}, in ${record.path}). Vectors of both cannot be compared.`,
    `Set LOCI_EMBEDDER_FOLDER to a folder with the weights of before.`,
    changedOnPurpose(model, record),
  ].join('\n');
}

function changedOnPurpose(model: string, { path }: EmbedderRecord): string {
  return (
    `To change them on purpose, remove "${model}" from ${path}: existing collections then cannot be searched before they are ` +
    're-embedded (docs/operations.md, "Changing the embedder of a collection").'
  );
}
