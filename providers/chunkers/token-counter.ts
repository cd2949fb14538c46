import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import type { TokenCounting } from '#domain/embedder.ts';

/**
 * Returns a function that counts the tokens of a text as an embedder reads them, without special tokens. `tokenizer` counts
 * exactly, by the model's `tokenizer.json`; `estimate` counts UTF-8 bytes, which is also right for scripts with about one token
 * per character (3 bytes).
 */
export async function createTokenCounter(counting: TokenCounting): Promise<(text: string) => number> {
  if (counting.kind === 'estimate') {
    return (text) => Math.ceil(Buffer.byteLength(text) / counting.charactersPerToken);
  }
  const tokenizer = await loadTokenizer(counting.folder);
  return (text) => tokenizer.tokenize(text, { add_special_tokens: false }).length;
}

/** Loads `tokenizer.json` and, if present, `tokenizer_config.json` of a model folder. */
export async function loadTokenizer(folder: string): Promise<Tokenizer> {
  const definition = await readJson(join(folder, 'tokenizer.json'));
  const config = await readJson(join(folder, 'tokenizer_config.json')).catch(() => ({}));
  return new Tokenizer(definition, config);
}

async function readJson(path: string): Promise<object> {
  const value: unknown = JSON.parse(await readFile(path, 'utf8'));
  if (typeof value !== 'object' || value === null) throw new TypeError(`${path} does not contain a JSON object`);
  return value;
}
