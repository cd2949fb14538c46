import type { components } from '../schema.ts';
import type { UploadFailure, UploadInput } from './upload-input.ts';

export type UploadAnswer = components['schemas']['UploadResponse'];
type Item = UploadAnswer['uploads'][number];
type ItemError = UploadAnswer['errors'][number];

/** A content that the service took or already had. */
export type UploadedItem = Item & {
  /** The path, URL or name that was given. */
  input: string;
  /** Null where nothing was sent, because the content was there. */
  upload_id: string | null;
};

export type MatchedAnswer = {
  items: UploadedItem[];
  failures: UploadFailure[];
  /** More than the service takes in one request. */
  beyondLimit: UploadInput[];
};

/**
 * Finds out what became of each input of a request. The answer names items by their file names only, which several folders
 * may have; together with the size they are told apart.
 */
export function matchAnswer(batch: readonly UploadInput[], answer: UploadAnswer): MatchedAnswer {
  const left = [...batch];
  const take = (fits: (input: UploadInput) => boolean): UploadInput | undefined => {
    const index = left.findIndex(fits);
    return index === -1 ? undefined : left.splice(index, 1)[0];
  };
  // URLs first: those that are taken are told from refused ones by nothing but what is left.
  const urlErrors = answer.errors
    .filter(({ source }) => source === 'url')
    .map((error) => ({ error, input: takeUrl(error, take) }));
  const items = answer.uploads.map((item) => uploaded(item, takeItem(item, take), answer.upload_id));
  const others = answer.errors
    .filter(({ source }) => source !== 'url')
    .map((error) => ({ error, input: takeRefused(error, take) }));
  const refused = [...urlErrors, ...others];
  return {
    items,
    failures: refused
      .filter(({ error }) => !isBeyondLimit(error) || answer.uploads.length === 0)
      .map(({ error, input }) => ({ ...error, input: input?.input ?? error.name })),
    beyondLimit: refused.flatMap(({ error, input }) =>
      isBeyondLimit(error) && answer.uploads.length > 0 && input !== undefined ? [input] : [],
    ),
  };
}

type Take = (fits: (input: UploadInput) => boolean) => UploadInput | undefined;

function takeItem(item: Item, take: Take): UploadInput | undefined {
  const { source, name, size } = item;
  return (
    take((input) => input.source === source && input.name === name && input.sizeBytes === size) ??
    take((input) => input.source === source && input.name === name) ??
    take((input) => input.source === source)
  );
}

function takeRefused({ source, name }: ItemError, take: Take): UploadInput | undefined {
  return take((input) => input.source === source && input.name === name) ?? take((input) => input.source === source);
}

/** Errors show URLs without what may be secret in them, long ones cut, and nothing of what is no URL. */
function takeUrl({ name }: ItemError, take: Take): UploadInput | undefined {
  const isShownAs = (shown: string) => shown === name || (name.endsWith('…') && shown.startsWith(name.slice(0, -1)));
  return (
    take(({ source, input }) => source === 'url' && isShownAs(displayed(input))) ??
    take(({ source, input }) => source === 'url' && !URL.canParse(input))
  );
}

function displayed(input: string): string {
  if (!URL.canParse(input)) return input;
  const { protocol, host, pathname } = new URL(input);
  return host === '' ? `${protocol}…` : `${protocol}//${host}${pathname}`;
}

function isBeyondLimit({ code }: ItemError): boolean {
  return code === 'too_many_items';
}

function uploaded(item: Item, input: UploadInput | undefined, uploadId: string | null): UploadedItem {
  return { ...item, input: input?.input ?? item.name, upload_id: uploadId };
}
