import type { Context } from 'koa';
import { koaBody } from 'koa-body';
import { AppError, validationError } from '#domain/app-error.ts';
import { ClientGone, HttpError } from '#api/http/response/http-error.ts';
import { beginBody } from './request-body.ts';

/** Largest JSON body in bytes, inflated. */
export const MAX_JSON_BYTES = 1024 * 1024;
/** How deep a JSON body may nest; checked before anything walks it recursively. */
export const MAX_BODY_DEPTH = 64;
/** A client has this long to send a JSON body. */
const BODY_DEADLINE_MS = 30_000;
const JSON_TYPES = ['application/json', 'application/*+json'];

/** Larger bodies, which a few routes take, are held whole while they are read: so many at once. */
const LARGE_BODIES = 4;
let largeBodies = 0;

/** Reads a body of at most so many bytes. */
const parserFor = (maxBytes: number) =>
  koaBody({
    jsonLimit: maxBytes,
    jsonTypes: JSON_TYPES,
    jsonStrict: true,
    text: false,
    urlencoded: false,
    multipart: false,
  });
const parseJson = parserFor(MAX_JSON_BYTES);

/**
 * Reads the JSON body of a request.
 * @throws AppError `unsupported_media_type`, `payload_too_large`, or `validation_failed` for what is no JSON; `rate_limited`
 * while other large bodies are read.
 */
export async function readJsonBody(context: Context, maxBytes = MAX_JSON_BYTES): Promise<unknown> {
  const hasBody = context.req.headers['transfer-encoding'] !== undefined || Number(context.get('Content-Length')) > 0;
  if (!hasBody) return undefined;
  if (context.is(JSON_TYPES) === false) {
    throw new AppError('unsupported_media_type', 'Send the body as JSON, with Content-Type: application/json.');
  }
  const length = context.get('Content-Length');
  if (Number(length) > maxBytes) throw tooLarge(maxBytes);
  const isLarge = maxBytes > MAX_JSON_BYTES && (length === '' || Number(length) > MAX_JSON_BYTES);
  const parse = isLarge ? parserFor(maxBytes) : parseJson;
  const read = () => parse(context, async () => {}).catch((error: unknown) => rethrow(error, maxBytes));
  beginBody(context);
  await (isLarge ? amongFew(() => withDeadline(context, read)) : withDeadline(context, read));
  const body: unknown = context.request.body;
  if (isDeeperThan(body, MAX_BODY_DEPTH)) {
    const msg = `JSON is nested deeper than ${MAX_BODY_DEPTH} levels`;
    throw validationError([{ loc: ['body'], msg, type: 'too_deep' }]);
  }
  return body;
}

async function amongFew(read: () => Promise<void>): Promise<void> {
  if (largeBodies >= LARGE_BODIES) {
    throw new AppError('rate_limited', 'Too many large bodies arrive at once; try again in a moment.', {
      retryAfterS: 1,
    });
  }
  largeBodies += 1;
  try {
    await read();
  } finally {
    largeBodies -= 1;
  }
}

async function withDeadline(context: Context, read: () => Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      context.set('Connection', 'close');
      reject(new HttpError('request_timeout', `The body did not arrive within ${BODY_DEADLINE_MS / 1000} seconds.`));
    }, BODY_DEADLINE_MS);
  });
  try {
    await Promise.race([read(), deadline]);
  } finally {
    clearTimeout(timer);
  }
}

/** The parsers below koa-body say what went wrong by `type` and `status`. */
function rethrow(error: unknown, maxBytes: number): never {
  const type = error instanceof Error && 'type' in error ? error.type : null;
  const status = error instanceof Error && 'status' in error ? error.status : null;
  if (type === 'entity.too.large') throw tooLarge(maxBytes);
  if (type === 'request.aborted' || type === 'request.size.invalid') throw new ClientGone({ cause: error });
  if (type === 'encoding.unsupported' || status === 415) {
    throw new AppError('unsupported_media_type', 'Send the body in UTF-8, plain or with gzip or deflate.', {
      cause: error,
    });
  }
  if (status === 400 || error instanceof SyntaxError || isInflateError(error)) {
    throw validationError([{ loc: ['body'], msg: 'The body is not a JSON object or array', type: 'json_invalid' }]);
  }
  throw error;
}

function tooLarge(maxBytes: number): AppError {
  return new AppError('payload_too_large', `A JSON body here may have at most ${maxBytes} bytes.`);
}

function isInflateError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
}

/** Walks with a list of its own: the call stack is what a deep body is after. */
function isDeeperThan(value: unknown, maxDepth: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) return true;
    level = level.flatMap((node) => (typeof node === 'object' && node !== null ? Object.values(node) : []));
  }
  return false;
}
