import type { Context } from 'koa';
import { koaBody } from 'koa-body';
import { AppError, validationError } from '#domain/app-error.ts';
import { ClientClosedRequest, HttpError } from '#api/http/response/http-error.ts';
import { abortOnClose } from './abort-on-close.ts';
import { ReceivingSlots } from './receiving-slots.ts';
import { sendContinue } from './request-body.ts';
import { requestState } from './request-state.ts';

/** Largest JSON body in bytes, after decompression. */
export const MAX_JSON_BYTES = 1024 * 1024;
/** Maximum nesting of a JSON body; checked before anything walks it recursively. */
const MAX_BODY_DEPTH = 64;
/** Time that a client has to send a JSON body. */
const BODY_DEADLINE_MS = 30_000;
const JSON_TYPES = ['application/json', 'application/*+json'];

/**
 * A few routes accept larger bodies. Each is held in memory while it is read, so their number is bounded. Those of one workspace, which
 * may arrive slowly, leave places to others.
 */
const LARGE_BODIES = { what: 'JSON bodies of more than 1 MiB', perWorkspace: 2, perProcess: 4, maxWaitMs: 30_000 };
const largeBodies = new ReceivingSlots(LARGE_BODIES);

/** Returns a parser for bodies of at most `maxBytes`. */
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
 * @throws AppError `unsupported_media_type`, `payload_too_large`, `validation_failed` for invalid JSON, or `rate_limited` when
 *   too many other large bodies are being received for half a minute.
 */
export async function readJsonBody(context: Context, maxBytes = MAX_JSON_BYTES): Promise<unknown> {
  const hasBody = context.req.headers['transfer-encoding'] !== undefined || Number(context.get('Content-Length')) > 0;
  if (!hasBody) return undefined;
  if (context.is(JSON_TYPES) === false) {
    throw new AppError('unsupported_media_type', 'Send the body as JSON, with Content-Type: application/json.');
  }
  const length = context.get('Content-Length');
  if (Number(length) > maxBytes) throw tooLarge(maxBytes);
  const isSizeKnown = length !== '' && context.get('Content-Encoding') === '';
  const isLarge = maxBytes > MAX_JSON_BYTES && !(isSizeKnown && Number(length) <= MAX_JSON_BYTES);
  const parse = isLarge ? parserFor(maxBytes) : parseJson;
  const read = () => parse(context, async () => {}).catch((error: unknown) => rethrowParseError(error, maxBytes));
  using closing = new DisposableStack();
  if (isLarge) closing.use(await takeLargeBodySlot(context));
  sendContinue(context);
  await withDeadline(context, read);
  const body: unknown = context.request.body;
  if (isDeeperThan(body, MAX_BODY_DEPTH)) {
    const msg = `JSON is nested deeper than ${MAX_BODY_DEPTH} levels`;
    throw validationError([{ loc: ['body'], msg, type: 'too_deep' }]);
  }
  return body;
}

function takeLargeBodySlot(context: Context): Promise<Disposable> {
  const { caller } = requestState(context);
  return largeBodies.take(caller?.scope.workspaceId ?? '', abortOnClose(context));
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

/** Types of errors that say that the client has left before its body was read. */
const GONE: ReadonlySet<unknown> = new Set(['request.aborted', 'request.size.invalid', 'stream.not.readable']);

/** Translates errors of the parsers that koa-body uses, which differ by `type` and `status`. */
function rethrowParseError(error: unknown, maxBytes: number): never {
  const type = error instanceof Error && 'type' in error ? error.type : null;
  const status = error instanceof Error && 'status' in error ? error.status : null;
  if (type === 'entity.too.large') throw tooLarge(maxBytes);
  if (type !== null && GONE.has(type)) throw new ClientClosedRequest({ cause: error });
  if (type === 'encoding.unsupported' || status === 415) {
    throw new AppError('unsupported_media_type', 'Send the body in UTF-8, plain or with gzip or deflate.', {
      cause: error,
    });
  }
  // Of the parser, which rejects this key at any depth.
  if (error instanceof SyntaxError && error.message.includes('forbidden prototype property')) {
    const msg = 'An object has a key __proto__, which cannot be stored: use another name';
    throw validationError([{ loc: ['body'], msg, type: 'invalid_key' }]);
  }
  if (status === 400 || error instanceof SyntaxError || isInflateError(error)) {
    throw validationError([{ loc: ['body'], msg: 'The body is not a JSON object or array', type: 'json_invalid' }]);
  }
  throw error;
}

function tooLarge(maxBytes: number): AppError {
  return new AppError('payload_too_large', `The JSON body of this route may have at most ${maxBytes} bytes.`);
}

function isInflateError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
}

/** Walks level by level instead of recursively, because a deep body could overflow the call stack. */
function isDeeperThan(value: unknown, maxDepth: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) return true;
    level = level.flatMap((node) => (typeof node === 'object' && node !== null ? Object.values(node) : []));
  }
  return false;
}
