import { dataOf } from './data-of.ts';
import { LociError } from './loci-error.ts';
import type { LociApi } from './loci-api.ts';
import { readStream } from './read-stream.ts';
import type { components } from './schema.ts';

export type ExportedVersion = components['schemas']['MemoryVersion'];

/**
 * Yields every version of every memory of a user, as the service sends them. With a bearer token, the user can be omitted.
 * @throws LociError when the service refuses, and when the connection breaks before the end
 */
export async function* exportMemories(
  api: LociApi,
  { userId, signal }: { userId?: string; signal?: AbortSignal } = {},
): AsyncGenerator<ExportedVersion> {
  const query = userId === undefined ? {} : { user_id: userId };
  const request = { params: { query }, parseAs: 'stream', ...(signal ? { signal } : {}) } as const;
  const stream: unknown = await dataOf(api.GET('/api/v1/memories/export', request));
  // A response without a body has no memories.
  if (!(stream instanceof ReadableStream)) return;
  let rest = '';
  for await (const text of readTexts(stream)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    // The service decides what a version consists of; later ones may have more fields.
    for (const line of lines) yield JSON.parse(line) as ExportedVersion;
  }
  if (rest !== '') throw brokenOff();
}

async function* readTexts(stream: ReadableStream): AsyncGenerator<string> {
  try {
    yield* readStream(stream.pipeThrough(new TextDecoderStream()));
  } catch (error) {
    throw brokenOff(error);
  }
}

function brokenOff(cause?: unknown): LociError {
  return new LociError('The connection broke before all memories were exported. Export them again.', {
    status: null,
    code: 'unreachable',
    ...(cause === undefined ? {} : { cause }),
  });
}
