import { z } from 'zod';
import type { ErrorCode } from '#domain/app-error.ts';
import { ERROR_MEANINGS } from '#domain/error-meanings.ts';
import type { EntryRefusal } from '#providers/readers/shared/archive-entry.ts';

/** Which entries to extract from an archive or a message, and the limits. */
export type UnpackPayload = {
  kind: 'unpack';
  mediaType: string;
  /** Name of the upload, after which the file in a gzip file is named. */
  name?: string;
  /** Index of the first entry to extract; earlier ones were extracted before. */
  from: number;
  /** Limits of one task. */
  taskLimits: { entries: number; bytes: number };
  maxEntryBytes: number;
  /** Bytes that may still be extracted, out of `totalBytes` in all. */
  budgetBytes: number;
  totalBytes: number;
  maxTextBytes: number;
  /** Why all entries are rejected; they are only listed then. */
  refusal: EntryRefusal | null;
};

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(ERROR_MEANINGS, code);

const UnpackedEntry = z.object({
  index: z.int().min(0),
  /** Identifies the entry within its archive, the same in each version of the archive. */
  key: z.string().regex(/^[0-9a-f]{64}$/),
  path: z.string().min(1).max(1_100),
  sizeBytes: z.number().min(0),
  /** Null when its bytes are in `entryFile`. */
  refusal: z
    .object({ code: z.custom<ErrorCode>((code) => typeof code === 'string' && isErrorCode(code)), message: z.string() })
    .nullable(),
});
export type UnpackedEntry = z.infer<typeof UnpackedEntry>;

/** The result of a task. It comes from a process that has read hostile input, so the parent validates it. */
export const UnpackValue = z.object({
  entries: z.array(UnpackedEntry),
  /** Index of the entry to continue with; null at the end. */
  next: z.int().min(0).nullable(),
});
export type UnpackValue = z.infer<typeof UnpackValue>;

export function entryFile(outputPrefix: string, index: number): string {
  return outputPrefix + entryEnding(index);
}

/** The endings of the files of a value that is not validated yet. */
export function unpackedFiles(value: unknown): string[] {
  const { data } = UnpackValue.safeParse(value);
  return data?.entries.flatMap(({ index, refusal }) => (refusal ? [] : entryEnding(index))) ?? [];
}

function entryEnding(index: number): string {
  return `.part-${index}`;
}
