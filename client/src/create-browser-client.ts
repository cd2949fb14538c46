import { createLociApi, type LociApi } from './loci-api.ts';
import { CURRENT_LIST, type ListPath, paginate, type ItemOf, type ListOptions } from './paginate.ts';
import { type AnswerEvent, type AnswerQuestion, streamAnswer } from './stream-answer.ts';
import type { Transport } from './transport.ts';
import { waitUntilReady, type ReadyResult, type WaitOptions, type WaitTarget } from './wait-until-ready.ts';

export type BrowserClientOptions = {
  /** Address of the service; in a page of the service its own origin. */
  baseUrl: string;
  apiKey?: string | undefined;
  /** Bearer token of a user, instead of an API key. */
  token?: string | undefined;
  workspaceId?: string | undefined;
  /** True for a page on which people decide by lists: these contain all that was written before. Others may be seconds old. */
  isCurrent?: boolean | undefined;
  /** Number of retries of a repeatable request while the service is unavailable or busy; default 4, about 5 seconds. */
  retries?: number | undefined;
};

/** What `LociClient` has except for files on disk, streams of the process and the search for a running service. */
export type BrowserClient = {
  readonly api: LociApi;
  streamAnswer(question: AnswerQuestion, options?: { signal?: AbortSignal }): AsyncGenerator<AnswerEvent>;
  waitUntilReady(target: WaitTarget, options?: WaitOptions): Promise<ReadyResult>;
  paginate<Path extends ListPath>(
    path: Path,
    options?: ListOptions<Path>,
  ): AsyncGenerator<ItemOf<Path>, void, undefined>;
};

const DEFAULT_RETRIES = 4;

/** Creates a client that needs nothing of Node.js. Sends no request yet. */
export function createBrowserClient(options: BrowserClientOptions): BrowserClient {
  const { baseUrl, apiKey, token, workspaceId, isCurrent = false, retries = DEFAULT_RETRIES } = options;
  const transport: Transport = {
    fetch: (input, init) => fetch(input, init),
    baseUrl,
    headers: {
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...(apiKey === undefined ? {} : { 'X-API-Key': apiKey }),
      ...(workspaceId === undefined ? {} : { 'X-Workspace-Id': workspaceId }),
      ...(isCurrent ? CURRENT_LIST : {}),
    },
    retries,
  };
  const api = createLociApi(transport);
  return {
    api,
    streamAnswer: (question, how) => streamAnswer(api, question, how),
    waitUntilReady: (target, how) => waitUntilReady(api, target, how),
    paginate: (path, how) => paginate(api, path, how),
  };
}
