import { Redis } from 'ioredis';
import { RateLimiterPostgres, RateLimiterRedis } from 'rate-limiter-flexible';
import { memoryCounters } from '#api/http/request/memory-counters.ts';
import { sharedCounters } from '#api/http/request/shared-counters.ts';
import { assertNever } from '#domain/app-error.ts';
import type { RequestCounters } from '#domain/access/request-counter.ts';
import type { Log } from '#observability/log.ts';
import type { Database } from '#store/postgres.ts';

export type RequestCounterSettings = { kind: 'memory' | 'postgres' | 'redis'; redisUrl: string | null };

type Opened = { database: Database; log: Log; closing: AsyncDisposableStack };

const TABLE = 'request_counts';
const MAX_RECONNECT_MS = 5_000;

/** Returns the counters of the settings. The store does not need to be up. */
export function openRequestCounters(settings: RequestCounterSettings, opened: Opened): RequestCounters {
  const { database, log } = opened;
  switch (settings.kind) {
    case 'memory':
      return memoryCounters;
    case 'postgres': {
      const store = { storeClient: database, storeType: 'knex', tableName: TABLE, tableCreated: true };
      return sharedCounters((options) => new RateLimiterPostgres({ ...options, ...store }), log);
    }
    case 'redis': {
      const { storeClient, lastError } = openRedis(settings.redisUrl ?? '', opened);
      return sharedCounters((options) => new RateLimiterRedis({ ...options, storeClient }), log, lastError);
    }
    default:
      return assertNever(settings.kind);
  }
}

/** Commands fail at once while there is no connection, instead of waiting for one. */
function openRedis(url: string, { closing }: Opened) {
  let message: string | null = null;
  const storeClient = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(attempt * 200, MAX_RECONNECT_MS),
  });
  // The counters report failures, with the reason.
  storeClient.on('error', (error: NodeJS.ErrnoException) => void (message = messageOf(error)));
  storeClient.on('ready', () => void (message = null));
  closing.defer(() => storeClient.disconnect());
  return { storeClient, lastError: () => message };
}

/** Without what the server quotes of the command, which may be the password. An error of several addresses has only a code. */
function messageOf({ message, code, name }: NodeJS.ErrnoException): string {
  return message.replace(/,? with args beginning with.*/su, '') || (code ?? name);
}
