import type { Context } from 'koa';
import { AppError, validationError } from '#domain/app-error.ts';
import { HttpError } from '#api/http/response/http-error.ts';
import { abortOnClose } from './abort-on-close.ts';
import { readBodyBytes, tooLarge } from './body-bytes.ts';
import { parseBoundedJson } from './bounded-json.ts';
import { requireMinimumRate, type MinimumRate } from './minimum-rate.ts';
import { ReceivingSlots } from './receiving-slots.ts';
import { sendContinue } from './request-body.ts';
import { requestState } from './request-state.ts';

/** Largest JSON body in bytes, after decompression. */
export const MAX_JSON_BYTES = 1024 * 1024;
/** A client has this time to send a JSON body; a larger one may take longer, on a slow line, but has to arrive at this rate. */
const BODY_RATE: MinimumRate = { bytes: MAX_JSON_BYTES, perMs: 30_000 };
const JSON_TYPES = ['application/json', 'application/*+json'];
/** What JSON is written in (RFC 8259, section 8.1); the second is a part of it. */
const CHARSETS: ReadonlySet<string> = new Set(['', 'utf-8', 'utf8', 'us-ascii']);

/**
 * A few routes accept larger bodies. Each is held in memory while it is read, so their number is bounded. Those of one workspace, which
 * may arrive slowly, leave places to others.
 */
const LARGE_BODIES = { what: 'JSON bodies of more than 1 MiB', perWorkspace: 2, perProcess: 4, maxWaitMs: 30_000 };
const largeBodies = new ReceivingSlots(LARGE_BODIES);

/**
 * Reads the JSON body of a request: an object or an array.
 * @throws AppError `unsupported_media_type`, `payload_too_large`, `validation_failed` for JSON that is invalid or has too many values,
 *   or `rate_limited` when too many other large bodies are being received for half a minute; HttpError `request_timeout`.
 */
export async function readJsonBody(context: Context, maxBytes = MAX_JSON_BYTES, rate = BODY_RATE): Promise<unknown> {
  const hasBody = context.req.headers['transfer-encoding'] !== undefined || Number(context.get('Content-Length')) > 0;
  if (!hasBody) return undefined;
  requireJsonType(context);
  const length = context.get('Content-Length');
  if (Number(length) > maxBytes) throw tooLarge(maxBytes);
  const isSizeKnown = length !== '' && context.get('Content-Encoding') === '';
  const isLarge = maxBytes > MAX_JSON_BYTES && !(isSizeKnown && Number(length) <= MAX_JSON_BYTES);
  using closing = new DisposableStack();
  if (isLarge) closing.use(await takeLargeBodySlot(context));
  sendContinue(context);
  const late = Promise.withResolvers<never>();
  const fail = (error: HttpError) => {
    context.set('Connection', 'close');
    late.reject(error);
  };
  closing.use(isLarge ? requireMinimumRate(context.req, fail, rate) : startDeadline(rate.perMs, fail));
  const bytes = await Promise.race([readBodyBytes(context.req, maxBytes), late.promise]);
  if (bytes.length === 0) return {};
  const parsed = parseBoundedJson(bytes);
  if ('problem' in parsed) {
    const { problem } = parsed;
    throw validationError([{ ...problem, loc: ['body', ...problem.loc] }]);
  }
  return parsed.value;
}

function requireJsonType(context: Context): void {
  if (context.is(JSON_TYPES) === false) {
    throw new AppError('unsupported_media_type', 'Send the body as JSON, with Content-Type: application/json.');
  }
  if (!CHARSETS.has(context.request.charset.toLowerCase())) {
    throw new AppError('unsupported_media_type', 'Send the body in UTF-8; JSON of other character sets is not read.');
  }
}

function takeLargeBodySlot(context: Context): Promise<Disposable> {
  const { caller } = requestState(context);
  return largeBodies.take(caller?.scope.workspaceId ?? '', abortOnClose(context));
}

function startDeadline(perMs: number, fail: (error: HttpError) => void): Disposable {
  const message = `The body did not arrive within ${perMs / 1000} seconds.`;
  const timer = setTimeout(() => fail(new HttpError('request_timeout', message)), perMs);
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}
