import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReadDocument } from '../../domain/reader.ts';
import { detectFileType } from '../../providers/readers/detect-type.ts';
import { resolveReader } from '../../providers/readers/index.ts';

export type ReadBytesOptions = { name: string; reader?: string; maxTextBytes?: number };

/** Detects and reads a document in this process, as a child process would. */
export async function readBytes(
  bytes: string | Uint8Array,
  { name, reader = 'native', maxTextBytes = 8 * 1024 * 1024 }: ReadBytesOptions,
): Promise<ReadDocument & { mediaType: string }> {
  return withFile(bytes, async (path) => {
    const { mediaType } = await detectFileType(path, { name });
    const document = await resolveReader(reader, mediaType).read({ path, mediaType, name }, { maxTextBytes });
    return { ...document, mediaType };
  });
}

/** Gives the path of a file with these bytes, for as long as the function runs. */
export async function withFile<Result>(
  bytes: string | Uint8Array,
  use: (path: string) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'loci-test-'));
  try {
    const path = join(folder, 'file');
    await writeFile(path, bytes);
    return await use(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
