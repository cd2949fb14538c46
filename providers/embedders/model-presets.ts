import { hash } from 'node:crypto';

/** How the vectors of tokens become the vector of a text. */
export type Pooling = 'mean' | 'cls' | 'last_token';

/** Prepended to texts, for models that were trained with them. */
export type Prefixes = { query: string; document: string };

/** What a sentence model was trained with. */
export type ModelPreset = {
  dimensions: number;
  /** Longest sequence in tokens, special tokens included. */
  maxSequence: number;
  pooling: Pooling;
  prefixes: Prefixes;
  /** A repository of Hugging Face with the model in ONNX format. */
  repository: string;
};

type Training = Pick<ModelPreset, 'maxSequence' | 'pooling' | 'prefixes'>;

const NONE = { query: '', document: '' };
const BGE: Training = {
  maxSequence: 512,
  pooling: 'cls',
  prefixes: { query: 'Represent this sentence for searching relevant passages: ', document: '' },
};
const E5: Training = { maxSequence: 512, pooling: 'mean', prefixes: { query: 'query: ', document: 'passage: ' } };
const GTE: Training = { maxSequence: 512, pooling: 'mean', prefixes: NONE };
/** These models read 8,192 tokens, but attention over so many takes gigabytes of memory; longer texts are read in several parts. */
const LONG_SEQUENCE = 2_048;

/**
 * Models by name, as their model cards describe them. Exports to ONNX often lack the files that say how a model pools and which
 * prefixes it needs, and servers with the OpenAI API add no prefixes.
 */
const PRESETS = {
  'all-MiniLM-L6-v2': { ...GTE, maxSequence: 256, dimensions: 384, repository: 'Xenova/all-MiniLM-L6-v2' },
  'all-MiniLM-L12-v2': { ...GTE, maxSequence: 128, dimensions: 384, repository: 'Xenova/all-MiniLM-L12-v2' },
  'paraphrase-multilingual-MiniLM-L12-v2': {
    ...GTE,
    maxSequence: 128,
    dimensions: 384,
    repository: 'Xenova/paraphrase-multilingual-MiniLM-L12-v2',
  },
  'bge-small-en-v1.5': { ...BGE, dimensions: 384, repository: 'Xenova/bge-small-en-v1.5' },
  'bge-base-en-v1.5': { ...BGE, dimensions: 768, repository: 'Xenova/bge-base-en-v1.5' },
  'bge-large-en-v1.5': { ...BGE, dimensions: 1024, repository: 'Xenova/bge-large-en-v1.5' },
  'bge-m3': {
    maxSequence: LONG_SEQUENCE,
    pooling: 'cls',
    prefixes: NONE,
    dimensions: 1024,
    repository: 'Xenova/bge-m3',
  },
  'e5-small-v2': { ...E5, dimensions: 384, repository: 'Xenova/e5-small-v2' },
  'e5-base-v2': { ...E5, dimensions: 768, repository: 'Xenova/e5-base-v2' },
  'e5-large-v2': { ...E5, dimensions: 1024, repository: 'Xenova/e5-large-v2' },
  'multilingual-e5-small': { ...E5, dimensions: 384, repository: 'Xenova/multilingual-e5-small' },
  'multilingual-e5-base': { ...E5, dimensions: 768, repository: 'Xenova/multilingual-e5-base' },
  'multilingual-e5-large': { ...E5, dimensions: 1024, repository: 'Xenova/multilingual-e5-large' },
  'gte-small': { ...GTE, dimensions: 384, repository: 'Xenova/gte-small' },
  'gte-base': { ...GTE, dimensions: 768, repository: 'Xenova/gte-base' },
  'gte-large': { ...GTE, dimensions: 1024, repository: 'Xenova/gte-large' },
  'gte-multilingual-base': {
    maxSequence: LONG_SEQUENCE,
    pooling: 'cls',
    prefixes: NONE,
    dimensions: 768,
    repository: 'onnx-community/gte-multilingual-base',
  },
  'nomic-embed-text-v1.5': {
    maxSequence: LONG_SEQUENCE,
    pooling: 'mean',
    prefixes: { query: 'search_query: ', document: 'search_document: ' },
    dimensions: 768,
    repository: 'nomic-ai/nomic-embed-text-v1.5',
  },
  'embeddinggemma-300m': {
    maxSequence: LONG_SEQUENCE,
    pooling: 'mean',
    prefixes: { query: 'task: search result | query: ', document: 'title: none | text: ' },
    dimensions: 768,
    repository: 'onnx-community/embeddinggemma-300m-ONNX',
  },
} as const satisfies Record<string, ModelPreset>;

export type PresetName = keyof typeof PRESETS;

/** The names of all presets. */
// `Object.keys` returns the keys of the object above.
export const PRESET_NAMES = Object.keys(PRESETS) as [PresetName, ...PresetName[]];

/** Returns the preset of a name; null without one. */
export function presetOf(name: PresetName | null): ModelPreset | null {
  return name === null ? null : PRESETS[name];
}

/** Returns the name of a preset. */
export function presetNameOf(preset: ModelPreset): string {
  return PRESET_NAMES.find((name) => PRESETS[name] === preset) ?? preset.repository;
}

/** UTF-8 bytes per token, a conservative estimate for subword vocabularies. */
export const BYTES_PER_TOKEN = 3.5;

/** Returns the tokens that the longer of the two takes, where only a server has the tokenizer. */
export function tokensOfLongerPrefix(prefixes: Prefixes | null): number {
  const bytes = Math.max(...[prefixes?.query, prefixes?.document].map((prefix = '') => Buffer.byteLength(prefix)));
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** How a model is used, instead of what it says itself: a preset, or prefixes alone. */
export type ModelUse = { preset: ModelPreset | null; prefixes: Prefixes | null };

export function modelUseOf(named: { preset?: PresetName | null; prefixes?: Prefixes | null }): ModelUse {
  return { preset: presetOf(named.preset ?? null), prefixes: named.prefixes ?? null };
}

/** Returns a mark for vectors of a model that is used in this way: they must not be compared with others of it. Null: as it says itself. */
export function useMark({ preset, prefixes }: ModelUse): string | null {
  const digest = (...parts: unknown[]) => hash('sha256', JSON.stringify(parts)).slice(0, 12);
  if (preset) {
    const { maxSequence, pooling, prefixes: own } = preset;
    return `preset-${digest(maxSequence, pooling, own.query, own.document)}`;
  }
  return prefixes && `prefixes-${digest(prefixes.query, prefixes.document)}`;
}
