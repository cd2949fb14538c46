import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { Pool } from 'undici';
import type { Collection, WeaviateClient } from 'weaviate-client';
import type { EmbeddingSpace } from '#domain/embedder.ts';
import { className, type ClassSettings, type StoredProperties } from './class-definition.ts';
import type { CallOptions, GrpcCalls } from './grpc-calls.ts';
import { createRestartWatch, type RestartWatch } from './restart-watch.ts';
import { createSharedRuns, type SharedRuns } from './shared-runs.ts';
import { isAnswer, isUnreachable, indexUnavailable, WeaviateResponseError, toAppError } from './weaviate-errors.ts';

export type VectorIndexOptions = {
  /** Address of the REST interface. */
  url: string;
  /** `host:port` of gRPC; with TLS exactly when `url` is https. */
  grpc: string;
  apiKey: string | null;
  /** Timeout of one call, in milliseconds. */
  timeoutMs: number;
  classes: ClassSettings;
};

export type TenantCollection = Collection<StoredProperties, string>;
export type Tenant = { space: EmbeddingSpace; name: string };
/** Calls of the gRPC client in one tenant. `signal` aborts when the caller no longer waits for the result. */
export type TenantOperation<T> = (collection: TenantCollection, signal: AbortSignal) => Promise<T>;
type RestRequest = { method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'; path: string; body?: unknown };
type GrpcOperation<T> = (calls: GrpcCalls, options: CallOptions) => Promise<T>;

export type WeaviateConnection = {
  /**
   * Runs calls of the gRPC client in one tenant; fails within a second when Weaviate is unreachable, and at once, with the
   * reason of the signal, when that is aborted. Errors are not mapped.
   */
  inTenant<T>(tenant: Tenant, operation: TenantOperation<T>, signal?: AbortSignal): Promise<T>;
  /** Sends a REST request and returns the parsed response, null when it is empty. Errors are not mapped. */
  rest(request: RestRequest): Promise<unknown>;
  /** Runs calls of our own gRPC client. Errors are not mapped. */
  grpc<T>(operation: GrpcOperation<T>): Promise<T>;
  /** Tenants that this process has seen: true if they existed when it last used them, false if a write found them gone. */
  knownTenants: LRUCache<string, boolean>;
  /** Runs work of one tenant for all that ask before it starts. */
  shareRun: SharedRuns;
  /** Tells whether a node may have ended in the meantime. */
  restarts: RestartWatch;
  classes: ClassSettings;
  /** Resolves when Weaviate is ready; waits briefly, for somebody who watches. @throws AppError `dependency_unavailable`. */
  ready(): Promise<void>;
  /** What Weaviate says about itself, to those with its key; waits as briefly. Errors are not mapped. */
  meta(): Promise<unknown>;
  /** Like `ready`, but waits as long as any call may take. */
  confirmReady(): Promise<void>;
  close(): Promise<void>;
};

const MAX_KNOWN_TENANTS = 10_000;
const PROBE_TIMEOUT_MS = 2_000;
/** Weaviate asks all nodes, and waits for one that hangs. */
const STATISTICS_TIMEOUT_MS = 5_000;
/** While a call takes longer than this, Weaviate is probed at this interval: the client itself would retry for 15 seconds. */
const PROBE_INTERVAL_MS = 400;

/**
 * Creates a connection that opens with the first call and survives restarts of the server. The first call also loads the
 * clients, hundreds of modules: a process that does not use the index starts without. Searches use gRPC (measured two to
 * three times faster than GraphQL), batches use a gRPC client of our own, and the schema uses REST.
 */
export function createConnection(options: VectorIndexOptions): WeaviateConnection {
  const rest = createRest(options);
  const probe = async (timeoutMs = PROBE_TIMEOUT_MS): Promise<void> =>
    void (await rest.send({ method: 'GET', path: '/.well-known/ready' }, timeoutMs));
  const meta = () => rest.send({ method: 'GET', path: '/meta' }, PROBE_TIMEOUT_MS);
  let client: Promise<WeaviateClient> | null = null;
  let calls: Promise<GrpcCalls> | null = null;
  /** After a call without an answer, the next one probes Weaviate first. */
  let probeBeforeNextCall = false;

  function openedClient(): Promise<WeaviateClient> {
    client ??= openClient(options).catch((error: unknown) => {
      client = null;
      throw error;
    });
    return client;
  }

  function openedCalls(): Promise<GrpcCalls> {
    calls ??= import('./grpc-calls.ts')
      .then(({ createGrpcCalls }) => createGrpcCalls(options))
      .catch((error: unknown) => {
        calls = null;
        throw error;
      });
    return calls;
  }

  /** Fails within a second when Weaviate is unreachable, and at once when the signal is aborted. */
  async function guarded<T>(call: (callEnded: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const callEnded = new AbortController();
    const ended = callEnded.signal;
    const run = async (): Promise<T> => {
      if (probeBeforeNextCall) await requireReachable(probe);
      ended.throwIfAborted();
      probeBeforeNextCall = false;
      return Promise.race([call(ended), failWhenUnreachable(probe, ended, options.timeoutMs)]);
    };
    try {
      return await (signal ? Promise.race([failWhenAborted(signal, ended), run()]) : run());
    } catch (error) {
      // That a caller no longer waits says nothing about Weaviate.
      probeBeforeNextCall ||= !isAnswer(error) && signal?.aborted !== true;
      throw error;
    } finally {
      callEnded.abort();
    }
  }

  return {
    inTenant: (tenant, operation, signal) =>
      guarded(async (callEnded) => {
        const { collections } = await openedClient();
        callEnded.throwIfAborted();
        const collection = collections.use<string, StoredProperties>(className(tenant.space)).withTenant(tenant.name);
        return operation(collection.withConsistency('QUORUM'), callEnded);
      }, signal),
    grpc: (operation) =>
      guarded(async (signal) => {
        const opened = await openedCalls();
        // Whoever asked may have been told meanwhile that Weaviate is away.
        signal.throwIfAborted();
        return operation(opened, { deadline: Date.now() + options.timeoutMs, signal });
      }),
    rest: (request) => rest.send(request, options.timeoutMs),
    knownTenants: new LRUCache({ max: MAX_KNOWN_TENANTS }),
    shareRun: createSharedRuns(),
    restarts: createRestartWatch(() =>
      rest.send({ method: 'GET', path: '/cluster/statistics' }, STATISTICS_TIMEOUT_MS),
    ),
    classes: options.classes,
    confirmReady: () =>
      probe(options.timeoutMs).catch((error: unknown) => {
        throw toAppError(error);
      }),
    ready: async () => {
      try {
        // Whoever asks whether it is ready will use it: no request has to wait for the clients to be loaded.
        await Promise.all([probe(), openedCalls(), import('weaviate-client')]);
        // The probe needs no key, so this request checks it.
        await meta();
      } catch (error) {
        throw toAppError(error);
      }
    },
    meta,
    close: async () => {
      const closeOpened = async (one: Promise<{ close(): unknown }> | null) => (await one?.catch(() => null))?.close();
      await Promise.all([rest.close(), closeOpened(client), closeOpened(calls)]);
    },
  };
}

/**
 * Rejects when Weaviate is unreachable. A slow probe only means that it is busy. With several nodes behind one address, a
 * connection to a node that has just ended breaks while the others serve, so a failed probe is repeated once.
 */
async function requireReachable(probe: () => Promise<void>): Promise<void> {
  await probe().catch(async (first: unknown) => {
    if (!isUnreachable(first)) return;
    await probe().catch((second: unknown) => {
      if (isUnreachable(second)) throw second;
    });
  });
}

/** Rejects with the reason of the signal when that is aborted before the call has ended; never resolves. */
function failWhenAborted(signal: AbortSignal, callEnded: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  const fail = (): void => reject(signal.reason);
  if (signal.aborted) fail();
  signal.addEventListener('abort', fail, { once: true });
  callEnded.addEventListener('abort', () => signal.removeEventListener('abort', fail), { once: true });
  return promise;
}

/** Rejects when Weaviate is unreachable or the timeout has passed; never resolves. */
async function failWhenUnreachable(
  probe: () => Promise<void>,
  callEnded: AbortSignal,
  timeoutMs: number,
): Promise<never> {
  const deadline = Date.now() + timeoutMs;
  while (Date.now() < deadline) {
    await sleep(PROBE_INTERVAL_MS, undefined, { signal: callEnded });
    await requireReachable(probe);
  }
  throw indexUnavailable(undefined, `The search index did not respond within ${timeoutMs} ms; try again.`);
}

/**
 * Opens the client without its own start-up checks. The client requests the server's version as long as it does not know it, and
 * does not await the request: a rejected key or an unreachable server would cause an unhandled rejection. Requesting the version
 * here, once, prevents that.
 */
async function openClient({ url, grpc, apiKey, timeoutMs }: VectorIndexOptions): Promise<WeaviateClient> {
  const { ApiKey, connectToCustom } = await import('weaviate-client');
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
  async function send({ method, path, body }: RestRequest, timeoutMs: number): Promise<unknown> {
    const answer = await pool.request({
      method,
      path: `${pathname.replace(/\/$/, '')}/v1${path}`,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new WeaviateResponseError(answer.statusCode, text);
    return text === '' ? null : JSON.parse(text);
  }
  return { send, close: () => pool.close() };
}
