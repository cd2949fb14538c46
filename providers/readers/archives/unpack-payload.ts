import { z } from 'zod';
import type { ErrorCode } from '#domain/app-error.ts';
import { ERROR_MEANINGS } from '#domain/error-meanings.ts';
import type { EntryRefusal } from '#providers/readers/shared/archive-entry.ts';

/** What to take of an archive or a message, and of how much. */
export type UnpackPayload = {
  kind: 'unpack';
  mediaType: string;
  /** Parts before this one are there already. */
  from: number;
  /** Of one task. */
  most: { parts: number; bytes: number };
  maxPartBytes: number;
  /** Bytes that may still be unpacked, of `totalBytes` in all. */
  budgetBytes: number;
  totalBytes: number;
  maxTextBytes: number;
  /** Why no part is taken at all; they are only named then. */
  refusal: EntryRefusal | null;
};

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(ERROR_MEANINGS, code);

const UnpackedPart = z.object({
  index: z.int().min(0),
  /** Tells it from all others of the same archive, the next time too. */
  key: z.string().regex(/^[0-9a-f]{64}$/),
  path: z.string().min(1).max(1_100),
  sizeBytes: z.number().min(0),
  /** Null: its bytes are in `partFile`. */
  refusal: z
    .object({ code: z.custom<ErrorCode>((code) => typeof code === 'string' && isErrorCode(code)), message: z.string() })
    .nullable(),
});
export type UnpackedPart = z.infer<typeof UnpackedPart>;

/** What a task answers. It comes from a process that has read hostile input, so the parent checks it. */
export const UnpackValue = z.object({
  parts: z.array(UnpackedPart),
  /** Where to go on; null at the end. */
  next: z.int().min(0).nullable(),
});
export type UnpackValue = z.infer<typeof UnpackValue>;

export function entryFile(outputPrefix: string, index: number): string {
  return `${outputPrefix}.part-${index}`;
}
