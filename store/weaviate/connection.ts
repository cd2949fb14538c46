import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { ApiKey, connectToCustom, type Collection, type WeaviateClient } from 'weaviate-client';
import type { EmbeddingSpace } from '#domain/embedder.ts';
import { className, type StoredProperties } from './class-definition.ts';
import { isUnreachable, indexUnavailable, WeaviateResponseError, toAppError } from './weaviate-errors.ts';

export type VectorIndexOptions = {
  /** Address of the REST interface. */
  url: string;
  /** `host:port` of gRPC; with TLS exactly when `url` is https. */
  grpc: string;
  apiKey: string | null;
  /** Longest wait for one call, in milliseconds. */
  timeoutMs: number;
};

export type TenantCollection = Collection<StoredProperties, string>;
export type Tenant = { space: EmbeddingSpace; name: string };
/** `abandoned` aborts when nobody waits for the answer any more. */
export type TenantOperation<T> = (collection: TenantCollection, abandoned: AbortSignal) => Promise<T>;
type RestRequest = { method: 'GET' | 'POST' | 'PATCH' | 'DELETE'; path: string; body?: unknown };
/** For what is large: the body as JSON already, the answer as it came. */
type RawRequest = { method: 'POST'; path: string; json: Buffer };

export type WeaviateConnection = {
  /** Runs calls of the gRPC client in one tenant; gives up within a second when Weaviate is away. Errors are raw. */
  inTenant<T>(tenant: Tenant, action: TenantOperation<T>): Promise<T>;
  /** One REST call: the parsed answer, null when there is none. Errors are raw. */
  rest(request: RestRequest): Promise<unknown>;
  /** One REST call with a body that is JSON already. Errors are raw. */
  restRaw(request: RawRequest): Promise<Buffer>;
  /** @throws AppError `dependency_unavailable`. */
  ready(): Promise<void>;
  close(): Promise<void>;
};

const PROBE_TIMEOUT_MS = 2_000;
/** A call that takes longer has Weaviate probed beside it: the client itself would go on trying for a quarter of a minute. */
const PROBE_EVERY_MS = 400;

/**
 * A connection that opens with the first call and survives restarts of the server. Searches go over gRPC (measured two to three
 * times faster than GraphQL), batches and the schema over REST.
 */
export function createConnection(options: VectorIndexOptions): WeaviateConnection {
  const rest = createRest(options);
  const probe = async (): Promise<void> =>
    void (await rest.send({ method: 'GET', path: '/.well-known/ready' }, PROBE_TIMEOUT_MS));
  let client: Promise<WeaviateClient> | null = null;
  /** After a failure the next call asks first whether Weaviate is there. */
  let suspect = false;

  function openedClient(): Promise<WeaviateClient> {
    client ??= openClient(options).catch((error: unknown) => {
      client = null;
      throw error;
    });
    return client;
  }

  async function inTenant<T>(tenant: Tenant, action: TenantOperation<T>): Promise<T> {
    const settled = new AbortController();
    try {
      if (suspect) await probe();
      suspect = false;
      const { collections } = await openedClient();
      const collection = collections.use<string, StoredProperties>(className(tenant.space)).withTenant(tenant.name);
      return await Promise.race([action(collection, settled.signal), watch(probe, settled.signal, options.timeoutMs)]);
    } catch (error) {
      suspect = true;
      throw error;
    } finally {
      settled.abort();
    }
  }

  return {
    inTenant,
    rest: (request) => rest.send(request, options.timeoutMs),
    restRaw: (request) => rest.sendRaw(request, options.timeoutMs),
    ready: async () => {
      try {
        await probe();
        // The probe itself needs no key.
        await rest.send({ method: 'GET', path: '/meta' }, PROBE_TIMEOUT_MS);
      } catch (error) {
        throw toAppError(error);
      }
    },
    close: async () => {
      await Promise.all([rest.close(), client?.then((opened) => opened.close())]);
    },
  };
}

/** Rejects when Weaviate is away or the time is up; never resolves. */
async function watch(probe: () => Promise<void>, settled: AbortSignal, timeoutMs: number): Promise<never> {
  const deadline = Date.now() + timeoutMs;
  while (Date.now() < deadline) {
    await sleep(PROBE_EVERY_MS, undefined, { signal: settled });
    // A probe that is only slow says that Weaviate is busy: the call goes on.
    await probe().catch((error: unknown) => {
      if (isUnreachable(error)) throw error;
    });
  }
  throw indexUnavailable(undefined, `The search index did not answer within ${timeoutMs} ms; try again.`);
}

/**
 * Opens the client without its own start-up checks. It asks for the server's version whenever it does not know it yet, and nobody
 * there waits for the answer: a refused key or a server that is away would be an unhandled rejection. So it is asked here, once.
 */
async function openClient({ url, grpc, apiKey, timeoutMs }: VectorIndexOptions): Promise<WeaviateClient> {
  const rest = new URL(url);
  const secure = rest.protocol === 'https:';
  const separator = grpc.lastIndexOf(':');
  const timeoutS = timeoutMs / 1000;
  const client = await connectToCustom({
    httpHost: rest.hostname,
    httpPort: Number(rest.port) || (secure ? 443 : 80),
    httpPath: rest.pathname.replace(/\/$/, ''),
    httpSecure: secure,
    grpcHost: grpc.slice(0, separator),
    grpcPort: Number(grpc.slice(separator + 1)),
    grpcSecure: secure,
    timeout: { init: timeoutS, query: timeoutS, insert: timeoutS },
    skipInitChecks: true,
    ...(apiKey === null ? {} : { authCredentials: new ApiKey(apiKey) }),
  });
  try {
    await client.getWeaviateVersion();
  } catch (error) {
    await client.close();
    throw error;
  }
  return client;
}

function createRest({ url, apiKey }: VectorIndexOptions) {
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections: 32, connect: { timeout: 5_000 } });
  const headers = {
    'content-type': 'application/json',
    ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
  };
  async function sendRaw(
    { method, path, json }: Omit<RestRequest, 'body'> & { json: string | Buffer | null },
    timeoutMs: number,
  ): Promise<Buffer> {
    const answer = await pool.request({
      method,
      path: `${pathname.replace(/\/$/, '')}/v1${path}`,
      headers,
      body: json,
      signal: AbortSignal.timeout(timeoutMs),
    });
    const body = Buffer.from(await answer.body.arrayBuffer());
    if (answer.statusCode >= 300) throw new WeaviateResponseError(answer.statusCode, body.toString());
    return body;
  }
  async function send({ body, ...request }: RestRequest, timeoutMs: number): Promise<unknown> {
    const json = body === undefined ? null : JSON.stringify(body);
    const answer = await sendRaw({ ...request, json }, timeoutMs);
    return answer.length === 0 ? null : JSON.parse(answer.toString());
  }
  return { send, sendRaw, close: () => pool.close() };
}
