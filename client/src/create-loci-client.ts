import { type Connection, type ConnectionOptions, findConnection } from './connection.ts';
import { type ExportedVersion, exportMemories } from './export-memories.ts';
import { createLociApi, type LociApi } from './loci-api.ts';
import { type ListPath, paginate, type ItemOf, type ListOptions } from './paginate.ts';
import { originalFile } from './original-file.ts';
import { type McpStreams, relayMcp } from './mcp/relay-mcp.ts';
import { type AnswerEvent, type AnswerQuestion, streamAnswer } from './stream-answer.ts';
import type { Fetch, Transport } from './transport.ts';
import { upload, type UploadOptions, type UploadResult } from './upload/upload.ts';
import { waitUntilReady, type ReadyResult, type WaitOptions, type WaitTarget } from './wait-until-ready.ts';

export type LociClientOptions = ConnectionOptions & {
  /** Replaces Node's `fetch`. */
  fetch?: Fetch;
  /** Number of retries of a repeatable request while the service is unavailable or busy; default 4, about 5 seconds. */
  retries?: number;
};

export type LociClient = {
  /** Every endpoint, typed: `loci.api.POST('/api/v1/collections/search', { body })`. See openapi-fetch, and `dataOf`. */
  readonly api: LociApi;
  /** Address and credentials in use. */
  readonly connection: Connection;
  /** Uploads any number of files, texts and URLs of any size, in as many requests as necessary. */
  upload(options: UploadOptions): Promise<UploadResult>;
  /** Downloads the file of a content as it was uploaded. */
  originalFile(contentId: string, options?: { signal?: AbortSignal }): Promise<Blob>;
  /** Waits until uploads or contents have no more work to do. */
  waitUntilReady(target: WaitTarget, options?: WaitOptions): Promise<ReadyResult>;
  /** Asks a question and yields the answer as it is written: `for await (const { event, data } of loci.streamAnswer({ query }))`. */
  streamAnswer(question: AnswerQuestion, options?: { signal?: AbortSignal }): AsyncGenerator<AnswerEvent>;
  /** Yields every version of every memory of a user: `for await (const version of loci.exportMemories({ userId }))`. */
  exportMemories(options?: { userId?: string; signal?: AbortSignal }): AsyncGenerator<ExportedVersion>;
  /** Relays the Model Context Protocol between streams, such as those of the process, and the service, until the input ends. */
  relayMcp(streams: McpStreams): Promise<void>;
  /** Iterates over all entries of a list: `for await (const content of loci.paginate('/api/v1/contents'))`. */
  paginate<Path extends ListPath>(
    path: Path,
    options?: ListOptions<Path>,
  ): AsyncGenerator<ItemOf<Path>, void, undefined>;
};

const DEFAULT_RETRIES = 4;

/**
 * Creates a client for the service at `baseUrl`, or for the one that `findConnection` finds. Sends no request yet.
 * @throws LociError `not_configured` or `not_running` if no service is given and none is found
 */
export function createLociClient(options: LociClientOptions = {}): LociClient {
  const connection = findConnection(options);
  const transport: Transport = {
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    baseUrl: connection.baseUrl,
    headers: headersOf(connection),
    retries: options.retries ?? DEFAULT_RETRIES,
  };
  const api = createLociApi(transport);
  return {
    api,
    connection,
    upload: (what) => upload({ api, transport }, what),
    originalFile: (contentId, how) => originalFile({ api, transport }, contentId, how),
    waitUntilReady: (target, how) => waitUntilReady(api, target, how),
    streamAnswer: (question, how) => streamAnswer(api, question, how),
    exportMemories: (what) => exportMemories(api, what),
    relayMcp: (streams) => relayMcp(transport, streams),
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
