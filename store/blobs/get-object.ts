import { Readable } from 'node:stream';
import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import type { ByteRange } from '#domain/blob-store.ts';
import { s3Error } from './s3-errors.ts';

/** How long the answer of a bucket may take to begin, and each of its next bytes to come. */
export type GetTimeouts = { answerMs: number; idleMs: number };

type ObjectPart = { Bucket: string; Key: string; range?: ByteRange | undefined };

/**
 * Returns the bytes of an object, or a range of them, which fail if they end early. Only waits for the bucket have a time limit:
 * the reader may take as long as it likes.
 * @throws AppError `blob_missing`, `dependency_unavailable`.
 */
export async function getObject(
  client: S3Client,
  { range, ...object }: ObjectPart,
  { answerMs, idleMs }: GetTimeouts,
): Promise<Readable> {
  const slow = new AbortController();
  const timer = setTimeout(() => slow.abort(), answerMs);
  try {
    const Range = range && `bytes=${range.start}-${range.end - 1}`;
    const command = new GetObjectCommand({ ...object, ...(Range === undefined ? {} : { Range }) });
    const answer = await client.send(command, { abortSignal: slow.signal });
    const { Body: body, ContentLength: sizeBytes = null, ContentRange: sent } = answer;
    if (!(body instanceof Readable)) throw new Error('the SDK returned no stream');
    if (range !== undefined && sent?.startsWith(`bytes ${range.start}-`) !== true) {
      body.destroy();
      throw new Error('the bucket does not send ranges of bytes');
    }
    const bytes = Readable.from(wholeBody(body, { sizeBytes, idleMs }), { objectMode: false });
    // Also when it is given up before its first byte was read: then the generator never runs.
    return bytes.once('close', () => body.destroy());
  } catch (error) {
    throw s3Error(error);
  } finally {
    clearTimeout(timer);
  }
}

type Expected = { sizeBytes: number | null; idleMs: number };

async function* wholeBody(body: Readable, { sizeBytes, idleMs }: Expected): AsyncGenerator<Uint8Array> {
  let received = 0;
  try {
    for (const chunks: AsyncIterator<Uint8Array> = body[Symbol.asyncIterator](); ;) {
      const next = await nextWithin(idleMs, chunks, body);
      if (next.done === true) break;
      received += next.value.byteLength;
      yield next.value;
    }
  } catch (error) {
    throw s3Error(error);
  } finally {
    body.destroy();
  }
  if (sizeBytes !== null && received !== sizeBytes) throw s3Error(new Error('the answer of the bucket ended early'));
}

async function nextWithin(
  idleMs: number,
  chunks: AsyncIterator<Uint8Array>,
  body: Readable,
): Promise<IteratorResult<Uint8Array>> {
  const silence = () => body.destroy(new Error(`the bucket sent no byte for ${idleMs} ms`));
  const timer = setTimeout(silence, idleMs);
  try {
    return await chunks.next();
  } finally {
    clearTimeout(timer);
  }
}
