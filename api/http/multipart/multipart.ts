import { multipart } from 'formidable';
import { koaBody } from 'koa-body';
import type { Context } from 'koa';
import { AppError } from '#domain/app-error.ts';
import type { StoredBlob } from '#domain/blob-store.ts';
import { ClientGone } from '#api/http/response/http-error.ts';
import { guardMultipart } from './multipart-guard.ts';
import { MultipartReception } from './multipart-reception.ts';
import type { PartOutcome, StoreBytes } from './part-sink.ts';
import { beginBody } from '#api/http/request/request-body.ts';

/** A part whose bytes went to the store. */
export type StreamedPart = {
  field: string;
  /** Safe base name; null or `''` when the part names no file, as an unused file input does. */
  name: string | null;
  declaredType: string | null;
  outcome: PartOutcome;
};

/** A part held as text; null where its bytes are no UTF-8. */
export type FieldPart = { name: string; value: string | null };

export type MultipartBody = { fields: FieldPart[]; parts: StreamedPart[] };

export type MultipartOptions = {
  /** Names of parts that are streamed, never held; all others are fields. */
  streamed: ReadonlySet<string>;
  store: StoreBytes;
  maxRequestBytes: number;
  /** Streamed parts beyond this many are refused one by one; beyond twice as many the request is. */
  maxParts: number;
  /** Called with what was stored when the request fails after it. */
  abandoned: (blobs: StoredBlob[]) => Promise<void>;
};

const FORM_TYPE = 'multipart/form-data';

/**
 * Reads a multipart form, streaming the parts named in `streamed` to the store at the store's pace. Memory stays bounded
 * whatever is sent. When it throws, every stream to the store has come to its end and `abandoned` knows what it stored.
 * @throws AppError `unsupported_media_type`, `payload_too_large`, `invalid_request`, or what the store throws; ClientGone.
 */
export async function receiveMultipart(context: Context, options: MultipartOptions): Promise<MultipartBody> {
  if (context.is(FORM_TYPE) !== FORM_TYPE) {
    throw new AppError('unsupported_media_type', `Send a form, with Content-Type: ${FORM_TYPE}.`);
  }
  if (Number(context.get('Content-Length')) > options.maxRequestBytes) throw requestTooLarge(options.maxRequestBytes);
  beginBody(context);
  const guard = guardMultipart(options.maxRequestBytes, () => requestTooLarge(options.maxRequestBytes));
  const reception = new MultipartReception(options, guard.fail);
  const parse = koaBody({
    multipart: true,
    json: false,
    text: false,
    urlencoded: false,
    patchKoa: false,
    formidable: {
      // Latin-1 keeps every byte; UTF-8 would tear characters that lie across two network packets.
      encoding: 'binary',
      enabledPlugins: [multipart, guard.plugin],
      filename: () => 'part',
      allowEmptyFiles: true,
      minFileSize: 0,
      maxFileSize: Infinity,
      maxTotalFileSize: Infinity,
      fileWriteStreamHandler: (file) => reception.streamFor(file),
      onPart: (part, handlePart) => reception.begin(part, handlePart),
    },
  });
  try {
    await parse(context, async () => {});
    return await reception.whole();
  } catch (error) {
    await options.abandoned(await reception.abort());
    throw meaningOf(error, context);
  }
}

/** formidable tells its own errors by `httpCode`; what the client's connection did shows on the request. */
function meaningOf(error: unknown, context: Context): unknown {
  if (error instanceof AppError || error instanceof ClientGone) return error;
  if (context.req.destroyed && !context.req.complete) return new ClientGone({ cause: error });
  if (error instanceof Error && 'httpCode' in error) {
    const message =
      'The multipart form is malformed or cut short: check its boundary and that it ends with --boundary--.';
    return new AppError('invalid_request', message, { cause: error });
  }
  return error;
}

function requestTooLarge(maxBytes: number): AppError {
  return new AppError('payload_too_large', `An upload may have at most ${maxBytes} bytes; split it into several.`);
}
