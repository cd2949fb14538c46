import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import type { TokenCounting } from '#domain/embedder.ts';

/**
 * A function that counts the tokens of a text as an embedder reads them, special tokens left out.
 * `tokenizer` counts exactly, by the model's `tokenizer.json`; `estimate` goes by UTF-8 bytes, so that scripts with
 * about one token a character (3 bytes) come out right too.
 */
export async function createTokenCounter(counting: TokenCounting): Promise<(text: string) => number> {
  if (counting.kind === 'estimate') {
    return (text) => Math.ceil(Buffer.byteLength(text) / counting.charactersPerToken);
  }
  const tokenizer = await loadTokenizer(counting.folder);
  return (text) => tokenizer.tokenize(text, { add_special_tokens: false }).length;
}

/** Reads `tokenizer.json` and, where there is one, `tokenizer_config.json` of a model folder. */
export async function loadTokenizer(folder: string): Promise<Tokenizer> {
  const definition = await readJson(join(folder, 'tokenizer.json'));
  const config = await readJson(join(folder, 'tokenizer_config.json')).catch(() => ({}));
  return new Tokenizer(definition, config);
}

async function readJson(path: string): Promise<object> {
  const value: unknown = JSON.parse(await readFile(path, 'utf8'));
  if (typeof value !== 'object' || value === null) throw new TypeError(`${path} holds no JSON object`);
  return value;
}
