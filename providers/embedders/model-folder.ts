import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { z } from 'zod';
import { unusableModel } from '#providers/local-models/unusable-model.ts';
import {
  PRESET_NAMES,
  presetNameOf,
  useMark,
  type ModelPreset,
  type ModelUse,
  type Pooling,
  type Prefixes,
  type PresetName,
} from './model-presets.ts';

/** Configuration of a sentence model, read from its folder. */
export type ModelFolder = {
  folder: string;
  weightsPath: string;
  /** Longest sequence in tokens, including special tokens. */
  maxSequence: number;
  /** Longest sequence that it has positions for. */
  maxPositions: number;
  /** Kinds of tokens that it tells apart: 2 where those of a second text are marked. */
  typeCount: number;
  pooling: Pooling;
  padTokenId: number;
  /** Of its vectors, if its configuration says so. */
  dimensions: number | null;
  prefixes: Prefixes;
};

/** Real text has at most a dozen characters per token. */
const MAX_CHARACTERS_PER_TOKEN = 32;

/** Possible paths of the weights, smallest first. */
const WEIGHTS = ['onnx/model_quantized.onnx', 'onnx/model.onnx', 'model_quantized.onnx', 'model.onnx'];

/**
 * Sequence length of a model that does not state one. Its position embeddings allow more, but sentence models are trained on
 * short texts: all-MiniLM-L6-v2 has 512 positions and is meant for 256.
 */
const DEFAULT_SEQUENCE = 256;

const ModelConfig = z.looseObject({
  max_position_embeddings: z.number().int().positive().optional(),
  pad_token_id: z.number().int().nonnegative().nullish(),
  hidden_size: z.number().int().positive().nullish(),
  type_vocab_size: z.number().int().nonnegative().nullish(),
});
const SentenceConfig = z.looseObject({ max_seq_length: z.number().int().positive().nullish() });
const TokenizerConfig = z.looseObject({ model_max_length: z.number().positive().nullish() });
const PoolingConfig = z.looseObject({
  pooling_mode_cls_token: z.boolean().default(false),
  pooling_mode_mean_tokens: z.boolean().default(false),
  pooling_mode_lasttoken: z.boolean().default(false),
});
const PromptsConfig = z.looseObject({ prompts: z.record(z.string(), z.string()).default({}) });

/** Where a model is looked for. */
export type ModelPlace = {
  /** Name that is stored and shown to users; also the name of the model's folder in the cache. */
  model: string;
  /** Folder of the model, or its parent folder; null for the cache. */
  folder: string | null;
  /** How the model is used, instead of what its folder says; null for the latter. */
  preset?: PresetName | null;
  /** Instead of those that its folder names; null for the latter. */
  prefixes?: Prefixes | null;
  cacheDir: string;
};

export function modelFolderOf(place: ModelPlace): string {
  const folder = resolve(place.folder ?? join(place.cacheDir, 'models', place.model));
  const inner = join(folder, place.model);
  return !existsSync(join(folder, 'tokenizer.json')) && existsSync(inner) ? inner : folder;
}

/** Returns what identifies the vectors of a model: its weights, and how it is used if that is not what its folder says. */
export function modelHashOf(weightsHash: string, use: ModelUse): string {
  const mark = useMark(use);
  return mark === null ? weightsHash : `${weightsHash}-${mark}`;
}

/** Returns what embedders read of texts at most: more is not tokenized. */
export function maxCharactersOf(maxTokens: number): number {
  return maxTokens * MAX_CHARACTERS_PER_TOKEN;
}

/**
 * Reads the configuration files next to the weights (layout of sentence-transformers and its ONNX exports). A preset replaces what
 * they say about pooling, prefixes and the length of sequences; prefixes that are given replace theirs.
 * @throws Error that says what is missing and which setting names the folder.
 */
export async function readModelFolder(
  folder: string,
  { preset, prefixes: given }: ModelUse = { preset: null, prefixes: null },
): Promise<ModelFolder> {
  if (!existsSync(folder)) throw unusableModel(folder, missingFolder(folder, preset));
  const weights = WEIGHTS.find((path) => existsSync(join(folder, path)));
  if (!weights) throw unusableModel(folder, `it contains none of ${WEIGHTS.join(', ')}`);
  if (!existsSync(join(folder, 'tokenizer.json'))) throw unusableModel(folder, 'tokenizer.json is missing');
  const read = async <T>(path: string, schema: z.ZodType<T>): Promise<T> => parseFile(folder, { path, schema });
  const config = await read('config.json', ModelConfig);
  const sentence = await read('sentence_bert_config.json', SentenceConfig);
  const tokenizer = await read('tokenizer_config.json', TokenizerConfig);
  const positions = Math.min(config.max_position_embeddings ?? Infinity, tokenizer.model_max_length ?? Infinity);
  const model = {
    folder,
    weightsPath: join(folder, weights),
    maxPositions: positions,
    typeCount: config.type_vocab_size ?? 2,
    padTokenId: config.pad_token_id ?? 0,
    dimensions: config.hidden_size ?? null,
  };
  if (preset) {
    const { pooling, prefixes } = preset;
    return { ...model, maxSequence: Math.min(preset.maxSequence, positions), pooling, prefixes };
  }
  const { prompts } = await read('config_sentence_transformers.json', PromptsConfig);
  return {
    ...model,
    maxSequence: Math.min(sentence.max_seq_length ?? DEFAULT_SEQUENCE, positions),
    pooling: poolingOf(folder, await read('1_Pooling/config.json', PoolingConfig)),
    prefixes: given ?? {
      query: prompts['query'] ?? prompts['search_query'] ?? '',
      document: prompts['document'] ?? prompts['passage'] ?? prompts['search_document'] ?? '',
    },
  };
}

function missingFolder(folder: string, preset: ModelPreset | null): string {
  const missing = 'the folder does not exist';
  if (preset === null) {
    const known = PRESET_NAMES.find((name) => name === basename(folder));
    return known ? `${missing}. \`npm run model -- ${known}\` fetches the model into LOCI_CACHE_DIR` : missing;
  }
  const intoCache = `\`npm run model -- ${presetNameOf(preset)}\` fetches the model into LOCI_CACHE_DIR`;
  return `${missing}. Where Hugging Face can be reached, ${intoCache}, and \`hf download ${preset.repository} --local-dir ${folder}\` into this folder`;
}

/** Returns the SHA-256 of a file, in hexadecimal. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const part of createReadStream(path)) hash.update(part);
  return hash.digest('hex');
}

/** Parses a configuration file. A missing file counts as an empty object: all settings have defaults. */
async function parseFile<T>(folder: string, file: { path: string; schema: z.ZodType<T> }): Promise<T> {
  const path = join(folder, file.path);
  try {
    return file.schema.parse(existsSync(path) ? JSON.parse(await readFile(path, 'utf8')) : {});
  } catch (cause) {
    throw unusableModel(folder, `${file.path} cannot be read`, cause);
  }
}

function poolingOf(folder: string, config: z.infer<typeof PoolingConfig>): Pooling {
  if (config.pooling_mode_cls_token) return 'cls';
  if (config.pooling_mode_lasttoken) return 'last_token';
  const others = Object.entries(config).filter(([key, value]) => key.startsWith('pooling_mode_') && value === true);
  if (!config.pooling_mode_mean_tokens && others.length > 0) {
    throw unusableModel(
      folder,
      `it pools by ${others.map(([key]) => key).join(', ')}, but only mean, cls and last token are supported`,
    );
  }
  return 'mean';
}
