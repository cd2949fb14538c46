import type { Context } from 'koa';
import { AppError, assertNever } from '#domain/app-error.ts';
import type { Blobs } from '#domain/blob-store.ts';
import type { UploadForm } from '#domain/records/upload.ts';
import type { UploadError } from '#domain/records/uploads/upload-item.ts';
import { namesOf, type ReceivedItem } from '#operations/uploads/plan-upload.ts';
import type { Limits } from '#operations/services.ts';
import { urlForDisplay } from '#security/url-for-display.ts';
import type { MinimumRate } from '#api/http/request/minimum-rate.ts';
import { receiveMultipart } from './receive-multipart.ts';
import type { FieldPart, StreamedPart } from './part-collector.ts';
import { type FormContext, FILE_FIELDS, TEXT_FIELD, judgeFields, parseUploadForm } from './upload-form.ts';

export type ReceivedUpload = { form: UploadForm; items: ReceivedItem[]; errors: UploadError[] };

export type UploadTarget = {
  /** Keeps the bytes of a part; the caller removes them when the request has ended. */
  spool: Blobs['spool'];
  limits: Limits;
  /** Called before bytes are stored, when the form named the collection before. @throws AppError that refuses the upload. */
  requireAccess: (collectionId: string) => Promise<void>;
  inspect: FormContext['inspect'];
  /** What the body must at least arrive at; a default applies. */
  minimumRate?: MinimumRate;
};

/** An item, or why it is rejected, before it is known where in the request it is. */
type Received = { item: Unplaced<ReceivedItem> } | { error: Omit<UploadError, 'index' | 'external_id'> };
type Unplaced<Item> = Item extends unknown ? Omit<Item, 'index' | 'own'> : never;

const STREAMED: ReadonlySet<string> = new Set([...FILE_FIELDS, TEXT_FIELD]);
const TEXT_NAME = 'text';
const MAX_URL_CHARACTERS = 4096;
const TEXT_TYPE = 'text/plain; charset=utf-8';

/**
 * Reads an upload: spools its files and text and parses its fields into the form. Items that are rejected are
 * reported in `errors`; the request fails only when it is invalid as a whole.
 * @throws what `receiveMultipart` and `parseUploadForm` throw.
 */
export async function receiveUpload(context: Context, target: UploadTarget): Promise<ReceivedUpload> {
  const { limits } = target;
  let judged: Promise<void> | null = null;
  const body = await receiveMultipart(context, {
    streamed: STREAMED,
    store: async (bytes, fields) => {
      judged ??= judgeEarly(fields(), target);
      await judged;
      return target.spool(bytes, limits.maxFileBytes);
    },
    minimumRate: target.minimumRate,
    maxRequestBytes: limits.maxRequestBytes,
    maxParts: limits.maxRequestItems,
  });
  const received = body.parts.flatMap((part) => receivedPart(part, limits));
  const { maxRequestItems: maxItems } = limits;
  const form = parseUploadForm(body.fields, { itemCount: received.length, maxItems, inspect: target.inspect });
  const all = [...received, ...form.urls.map(receivedUrl)].map((entry, index) => {
    const own = form.items[index];
    if ('error' in entry) return { error: { ...entry.error, index, ...namesOf({ name: entry.error.name, own }) } };
    const item = { ...entry.item, index, own };
    return index < limits.maxRequestItems ? { item } : beyondLimit(item, limits);
  });
  return {
    form,
    items: all.flatMap((entry) => ('item' in entry ? [entry.item] : [])),
    errors: all.flatMap((entry) => ('error' in entry ? [entry.error] : [])),
  };
}

/** Judges what is known when the first bytes arrive: what comes before a file in a form is not read in vain. */
async function judgeEarly(fields: readonly FieldPart[], { requireAccess }: UploadTarget): Promise<void> {
  const collectionId = judgeFields(fields);
  if (collectionId !== null) await requireAccess(collectionId);
}

/** Converts a part to an item; returns nothing for a form input that was left empty. */
function receivedPart(part: StreamedPart, limits: Limits): Received[] {
  const source = part.field === TEXT_FIELD ? 'text' : 'file';
  const name = source === 'text' ? TEXT_NAME : part.name === null || part.name === '' ? 'file' : part.name;
  const { outcome } = part;
  switch (outcome.kind) {
    case 'stored': {
      const declaredType = part.declaredType ?? (source === 'text' ? TEXT_TYPE : null);
      return [{ item: { source, name, declaredType, blob: outcome.blob, head: outcome.head } }];
    }
    case 'empty':
      if (source === 'text' || part.name === null || part.name === '') return [];
      return [{ error: { name, source, code: 'empty_file', message: 'The file is empty.' } }];
    case 'refused': {
      const { code } = outcome.error;
      const message =
        code === 'file_too_large' ? `Larger than the limit of ${limits.maxFileBytes} bytes.` : outcome.error.message;
      return [{ error: { name, source, code, message } }];
    }
    case 'aborted':
      // The form was received before its last part was refused.
      if (outcome.error instanceof AppError) throw outcome.error;
      throw new AppError('internal', 'A form part was not received completely.');
    default:
      return assertNever(outcome);
  }
}

/** Checks a URL to download; a refusal says what is wrong with it. */
export function receivedUrl(url: string): Received {
  const [first = '', ...others] = url.trim().split(/\p{Cc}/u);
  if (others.length > 0) {
    // `URL` would remove line breaks, and make one address of several.
    const message = 'A URL has no line breaks or other control characters: send one URL per field, or a JSON array.';
    return { error: { name: urlForDisplay(first), source: 'url', code: 'invalid_url', message } };
  }
  const parsed = URL.parse(url);
  const name = urlForDisplay(parsed ?? url);
  const isWeb = parsed?.protocol === 'http:' || parsed?.protocol === 'https:';
  const isOpen = parsed?.username === '' && parsed.password === '';
  if (parsed !== null && isWeb && isOpen && url.length <= MAX_URL_CHARACTERS) {
    return { item: { source: 'url', name, url: parsed.href } };
  }
  const message = `Give an absolute URL of at most ${MAX_URL_CHARACTERS} characters that begins with http:// or https://, without a user name or password.`;
  return { error: { name, source: 'url', code: 'invalid_url', message } };
}

function beyondLimit(item: ReceivedItem, limits: Limits): { error: UploadError } {
  const message = `An upload may have at most ${limits.maxRequestItems} items; send the rest in another.`;
  return { error: { index: item.index, ...namesOf(item), source: item.source, code: 'too_many_items', message } };
}
