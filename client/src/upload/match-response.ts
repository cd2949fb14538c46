import type { components } from '../schema.ts';
import type { UploadFailure, UploadInput } from './upload-input.ts';

export type UploadResponse = components['schemas']['UploadResponse'];
type Item = UploadResponse['uploads'][number];
type ItemError = UploadResponse['errors'][number];

/** A content that the service accepted or already had. */
export type UploadedItem = Omit<Item, 'index'> & {
  /** The given path, URL or name. */
  input: string;
  /** Null if nothing was sent because the content already exists. */
  upload_id: string | null;
};

export type MatchedResponse = {
  items: UploadedItem[];
  failures: UploadFailure[];
  /** Inputs beyond the item limit of the service for one request. */
  beyondLimit: UploadInput[];
};

/**
 * Assigns the items and errors of a response to the inputs of the request by their names. Files of folders are named by their
 * paths; of files given by themselves and of files in memory, several can have the same name, and the size distinguishes them.
 * What has no input of its name gets the next one that is left.
 */
export function matchResponse(batch: readonly UploadInput[], answer: UploadResponse): MatchedResponse {
  const left = [...batch];
  const take = (fits: (input: UploadInput) => boolean): UploadInput | undefined => {
    const index = left.findIndex(fits);
    return index === -1 ? undefined : left.splice(index, 1)[0];
  };
  // Rejected URLs first: the accepted ones are those that remain.
  const urlErrors = answer.errors
    .filter(({ source }) => source === 'url')
    .map((error) => ({ error, input: takeUrl(error, take) }));
  const of = answer.uploads.map((item) => takeItem(item, take));
  const named = answer.errors
    .filter(({ source }) => source !== 'url')
    .map((error) => ({ error, input: takeNamed(error, take) }));
  // The service shows some names without what it removes from them. What is left is in the order of the request.
  const items = answer.uploads.map((item, index) =>
    toUploadedItem(item, of[index] ?? takeNext(item, take), answer.upload_id),
  );
  const others = named.map(({ error, input }) => ({ error, input: input ?? takeNext(error, take) }));
  const refused = [...urlErrors, ...others];
  // Otherwise another request would be answered alike.
  const isProgress = answer.uploads.length > 0 || !answer.errors.every(isBeyondLimit);
  return {
    items,
    failures: refused
      .filter(({ error }) => !isBeyondLimit(error) || !isProgress)
      .map(({ error: { index: _index, ...error }, input }) => ({ ...error, input: input?.input ?? error.name })),
    beyondLimit: refused.flatMap(({ error, input }) =>
      isBeyondLimit(error) && isProgress && input !== undefined ? [input] : [],
    ),
  };
}

type Take = (fits: (input: UploadInput) => boolean) => UploadInput | undefined;

function takeItem(item: Item, take: Take): UploadInput | undefined {
  const { source, name, size } = item;
  return (
    take((input) => input.source === source && input.name === name && input.sizeBytes === size) ?? takeNamed(item, take)
  );
}

function takeNamed({ source, name }: Item | ItemError, take: Take): UploadInput | undefined {
  return take((input) => input.source === source && input.name === name);
}

function takeNext({ source }: Item | ItemError, take: Take): UploadInput | undefined {
  return take((input) => input.source === source);
}

/** Errors contain URLs without their secret parts, truncated if they are long, and nothing of invalid URLs. */
function takeUrl({ name }: ItemError, take: Take): UploadInput | undefined {
  const isShownAs = (shown: string) => shown === name || (name.endsWith('…') && shown.startsWith(name.slice(0, -1)));
  return (
    take(({ source, input }) => source === 'url' && isShownAs(displayUrl(input))) ??
    take(({ source, input }) => source === 'url' && !URL.canParse(input))
  );
}

function displayUrl(input: string): string {
  if (!URL.canParse(input)) return input;
  const { protocol, host, pathname } = new URL(input);
  return host === '' ? `${protocol}…` : `${protocol}//${host}${pathname}`;
}

function isBeyondLimit({ code }: ItemError): boolean {
  return code === 'too_many_items';
}

/** The position in one of several requests says nothing to the caller. */
function toUploadedItem(
  { index: _index, ...item }: Item,
  input: UploadInput | undefined,
  uploadId: string | null,
): UploadedItem {
  return { ...item, input: input?.input ?? item.name, upload_id: uploadId };
}
