import { multipart } from 'formidable';
import { koaBody } from 'koa-body';
import type { Context } from 'koa';
import { AppError } from '#domain/app-error.ts';
import { ClientClosedRequest } from '#api/http/response/http-error.ts';
import { guardMultipart } from './multipart-guard.ts';
import { PartCollector, type MultipartBody, type MultipartOptions } from './part-collector.ts';
import { requireMinimumRate } from '#api/http/request/minimum-rate.ts';
import { sendContinue } from '#api/http/request/request-body.ts';

const FORM_TYPE = 'multipart/form-data';

/**
 * Reads a multipart form and streams the parts named in `streamed` to the store, at the store's pace. Memory use is bounded for
 * any input. When it throws, every stream to the store has ended.
 * @throws AppError `unsupported_media_type`, `payload_too_large`, `invalid_request`, or what the store throws; HttpError
 *   `request_timeout`; ClientClosedRequest.
 */
export async function receiveMultipart(context: Context, options: MultipartOptions): Promise<MultipartBody> {
  if (context.is(FORM_TYPE) !== FORM_TYPE) {
    throw new AppError('unsupported_media_type', `Send a form, with Content-Type: ${FORM_TYPE}.`);
  }
  if (Number(context.get('Content-Length')) > options.maxRequestBytes) throw requestTooLarge(options.maxRequestBytes);
  sendContinue(context);
  const guard = guardMultipart(options.maxRequestBytes, () => requestTooLarge(options.maxRequestBytes));
  const parts = new PartCollector(options, guard.fail);
  using closing = new DisposableStack();
  closing.use(requireMinimumRate(context.req, guard.fail, options.minimumRate));
  const parse = koaBody({
    multipart: true,
    json: false,
    text: false,
    urlencoded: false,
    patchKoa: false,
    formidable: {
      // Latin-1 keeps every byte; UTF-8 would break characters that are split across two network packets.
      encoding: 'binary',
      enabledPlugins: [multipart, guard.plugin],
      filename: () => 'part',
      allowEmptyFiles: true,
      minFileSize: 0,
      maxFileSize: Infinity,
      maxTotalFileSize: Infinity,
      fileWriteStreamHandler: (file) => parts.streamFor(file),
      onPart: (part, handlePart) => parts.begin(part, handlePart),
    },
  });
  try {
    await parse(context, async () => {});
    return await parts.collect();
  } catch (error) {
    // The rest of a packet may still be unread.
    guard.stop();
    await parts.abort();
    throw translateError(error, context);
  }
}

/** Translates errors of formidable, which have an `httpCode`, and of a closed connection, which shows on the request. */
function translateError(error: unknown, context: Context): unknown {
  if (error instanceof AppError || error instanceof ClientClosedRequest) return error;
  if (context.req.destroyed && !context.req.complete) return new ClientClosedRequest({ cause: error });
  if (error instanceof Error && 'httpCode' in error) {
    const message =
      'The multipart form is malformed or incomplete: check its boundary and that it ends with --boundary--.';
    return new AppError('invalid_request', message, { cause: error });
  }
  return error;
}

function requestTooLarge(maxBytes: number): AppError {
  return new AppError('payload_too_large', `An upload may have at most ${maxBytes} bytes; split it into several.`);
}
