import { readFile } from 'node:fs/promises';
import { LociError } from '../loci-error.ts';
import { unreadableReason } from '../upload/upload-input.ts';

/** Returns the text of a file. @throws LociError `unreadable_file` with the reason */
export async function readText(path: string): Promise<string> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (error) {
    throw unreadable(`${path}: ${unreadableReason(error)}`, error);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw unreadable(`${path}: This is not a text in UTF-8.`, error);
  }
}

function unreadable(detail: string, cause: unknown): LociError {
  return new LociError(detail, { status: null, code: 'unreadable_file', cause });
}
