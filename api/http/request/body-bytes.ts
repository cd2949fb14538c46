import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createUnzip } from 'node:zlib';
import { AppError, validationError } from '#domain/app-error.ts';
import { ClientClosedRequest } from '#api/http/response/http-error.ts';

/** Encodings of a body, besides none. The bytes say themselves which of the two they are. */
const PACKED: ReadonlySet<string> = new Set(['gzip', 'deflate']);
const PLAIN: ReadonlySet<string> = new Set(['', 'identity']);

/**
 * Reads the whole body of a request and unpacks it. What follows a body that is too large is not read.
 * @throws AppError `payload_too_large` beyond `maxBytes` after unpacking, `unsupported_media_type` for an encoding, `validation_failed`
 *   for bytes that do not have it; ClientClosedRequest.
 */
export async function readBodyBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const encoding = (request.headers['content-encoding'] ?? '').trim().toLowerCase();
  if (PLAIN.has(encoding)) return collect(request, request, maxBytes);
  if (!PACKED.has(encoding)) {
    throw new AppError('unsupported_media_type', 'Send the body in UTF-8, plain or with gzip or deflate.');
  }
  const unpacked = createUnzip();
  // What the client does not send would be waited for, because a pipe does not end with its source.
  request.once('close', () => void (request.complete || unpacked.destroy(new ClientClosedRequest())));
  try {
    return await collect(request.pipe(unpacked), request, maxBytes);
  } finally {
    request.unpipe(unpacked);
    unpacked.destroy();
  }
}

async function collect(stream: Readable, request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let sizeBytes = 0;
  try {
    // Destroying the request would close the connection, before its client gets the response.
    for await (const piece of stream.iterator({ destroyOnReturn: false })) {
      const bytes: Buffer = piece;
      sizeBytes += bytes.length;
      if (sizeBytes > maxBytes) throw tooLarge(maxBytes);
      pieces.push(bytes);
    }
  } catch (error) {
    throw translateError(error, request);
  }
  return Buffer.concat(pieces, sizeBytes);
}

export function tooLarge(maxBytes: number): AppError {
  return new AppError('payload_too_large', `The JSON body of this route may have at most ${maxBytes} bytes.`);
}

/** Translates errors of the unpacking, which have a code, and of a closed connection, which shows on the request. */
function translateError(error: unknown, request: IncomingMessage): unknown {
  if (error instanceof AppError || error instanceof ClientClosedRequest) return error;
  if (request.destroyed && !request.complete) return new ClientClosedRequest({ cause: error });
  if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')) {
    const msg = 'The body is not packed as its Content-Encoding says';
    return validationError([{ loc: ['body'], msg, type: 'json_invalid' }]);
  }
  return error;
}
