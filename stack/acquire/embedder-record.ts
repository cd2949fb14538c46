import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { StackError } from '#stack/stack-error.ts';
import { writePrivateFile } from '#stack/stack-secrets.ts';

const Stored = z.strictObject({
  weights: z.record(z.string(), z.string()),
  is_lexical: z.boolean(),
});

/** The embedders of a state folder. Its collections can only be searched with vectors of the same weights. */
export type EmbedderRecord = {
  readonly path: string;
  /** The SHA-256 of the weights of each local model that was used, by its name. */
  weights: Record<string, string>;
  /** No model could be obtained at the first start, and `lexical` took its place. */
  isLexical: boolean;
};

/** Reads the record of a state folder; an empty one if there is none yet. @throws StackError if it is damaged */
export function readEmbedderRecord(stateDir: string): EmbedderRecord {
  const path = join(stateDir, 'embedder.json');
  if (!existsSync(path)) return { path, weights: {}, isLexical: false };
  try {
    const { weights, is_lexical: isLexical } = Stored.parse(JSON.parse(readFileSync(path, 'utf8')));
    return { path, weights, isLexical };
  } catch (cause) {
    throw new StackError(
      `${path} is damaged. Restore it from a backup, or remove it: the next start then writes down what it uses.`,
      { cause },
    );
  }
}

/** Writes a record down. */
export function writeEmbedderRecord({ path, weights, isLexical }: EmbedderRecord): void {
  writePrivateFile(path, `${JSON.stringify({ weights, is_lexical: isLexical }, null, 2)}\n`);
}
