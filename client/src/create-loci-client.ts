import createClient, { type Client } from 'openapi-fetch';
import { type Connection, type ConnectionOptions, findConnection } from './connection.ts';
import { type ListPath, paginate, type ItemOf, type ListOptions } from './paginate.ts';
import type { paths } from './schema.ts';
import { createRetryingFetch, type Fetch, type Sending } from './send.ts';
import { upload, type UploadOptions, type UploadResult } from './upload/upload.ts';
import { waitUntilReady, type ReadyResult, type WaitOptions, type WaitTarget } from './wait-until-ready.ts';

export type LociClientOptions = ConnectionOptions & {
  /** Used instead of the `fetch` of Node. */
  fetch?: Fetch;
  /** How often a request that may be repeated is sent again while the service is away or busy; 4 by default, some 5 seconds. */
  retries?: number;
};

export type LociApi = Client<paths, `${string}/${string}`>;

export type LociClient = {
  /** Every endpoint, typed: `loci.api.POST('/api/v1/collections/search', { body })`. See openapi-fetch, and `dataOf`. */
  readonly api: LociApi;
  /** Where the service is and who asks. */
  readonly connection: Connection;
  /** Uploads files, texts and URLs of any number and size, in as many requests as that takes. */
  upload(options: UploadOptions): Promise<UploadResult>;
  /** Waits until nothing of an upload, or of some contents, is under way. */
  waitUntilReady(target: WaitTarget, options?: WaitOptions): Promise<ReadyResult>;
  /** Walks a list, asking for page after page: `for await (const content of loci.paginate('/api/v1/contents'))`. */
  paginate<Path extends ListPath>(
    path: Path,
    options?: ListOptions<Path>,
  ): AsyncGenerator<ItemOf<Path>, void, undefined>;
};

const DEFAULT_RETRIES = 4;

/**
 * A client of the service at `baseUrl`, or of the one that `findConnection` finds. Nothing is sent before it is used.
 * @throws LociError `not_configured` or `not_running` when no service is named and none is found
 */
export function createLociClient(options: LociClientOptions = {}): LociClient {
  const connection = findConnection(options);
  const sending: Sending = {
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    baseUrl: connection.baseUrl,
    headers: headersOf(connection),
    retries: options.retries ?? DEFAULT_RETRIES,
  };
  const api = createClient<paths>({
    baseUrl: sending.baseUrl,
    headers: sending.headers,
    // `fetch` would take the key along to whatever host it is sent to.
    redirect: 'manual',
    fetch: createRetryingFetch(sending),
  });
  return {
    api,
    connection,
    upload: (what) => upload({ api, sending }, what),
    waitUntilReady: (target, how) => waitUntilReady(api, target, how),
    paginate: (path, how) => paginate(api, path, how),
  };
}

function headersOf({ apiKey, token, workspaceId }: Connection): Record<string, string> {
  return {
    ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
    ...(apiKey === null ? {} : { 'X-API-Key': apiKey }),
    ...(workspaceId === null ? {} : { 'X-Workspace-Id': workspaceId }),
  };
}
