import { resolve } from 'node:path';
import { accessRuleProblems, tokenSettings } from './access-rules.ts';
import { ConfigError } from './config-error.ts';
import { Environment, incompleteSettings } from './environment.ts';
import { crawlerAgent } from '#domain/crawls/crawler-name.ts';
import { deepFreeze } from '#domain/deep-freeze.ts';
import { WEBHOOK_ATTEMPT_DELAYS_MS } from '#domain/webhooks/delivery-decision.ts';
import { readSecretFiles } from './secret-files.ts';

/** Reads and checks the environment. @throws ConfigError with every problem at once. */
export function readConfig(environment: NodeJS.ProcessEnv) {
  const { values, problems } = readSecretFiles(environment);
  const parsed = Environment.safeParse(values);
  if (!parsed.success) {
    const invalid = parsed.error.issues.map((issue) => `${issue.path.join('.')}${describeIssue(issue.message)}`);
    throw new ConfigError([...problems, ...invalid]);
  }
  problems.push(...incompleteSettings(parsed.data), ...accessRuleProblems(parsed.data));
  if (problems.length > 0) throw new ConfigError(problems);
  return deepFreeze(toConfig(parsed.data));
}

export type Config = ReturnType<typeof readConfig>;

function toConfig(env: Environment) {
  return {
    api: {
      host: env.LOCI_HOST,
      port: env.LOCI_PORT,
      /** How long a process that was told to stop accepts requests, while `/readyz` says so. */
      shutdownDelayMs: env.LOCI_SHUTDOWN_DELAY_S * 1000,
      publicUrl:
        env.LOCI_PUBLIC_URL ??
        `http://${env.LOCI_HOST.includes(':') ? `[${env.LOCI_HOST}]` : env.LOCI_HOST}:${env.LOCI_PORT}`,
    },
    worker: { host: env.LOCI_HOST, port: env.LOCI_WORKER_PORT },
    logLevel: env.LOCI_LOG_LEVEL,
    database: { url: env.LOCI_DATABASE_URL, poolSize: env.LOCI_DATABASE_POOL },
    temporal: { address: env.LOCI_TEMPORAL_ADDRESS, namespace: env.LOCI_TEMPORAL_NAMESPACE },
    weaviate: { url: env.LOCI_WEAVIATE_URL, grpc: env.LOCI_WEAVIATE_GRPC, apiKey: env.LOCI_WEAVIATE_API_KEY ?? null },
    blobDir: resolve(env.LOCI_BLOB_DIR),
    cacheDir: resolve(env.LOCI_CACHE_DIR),
    secrets: { keys: env.LOCI_SECRET_KEYS, apiKeyPepper: env.LOCI_API_KEY_PEPPER },
    embedder: {
      provider: env.LOCI_EMBEDDER,
      model: env.LOCI_EMBEDDER_MODEL ?? 'all-MiniLM-L6-v2',
      folder: env.LOCI_EMBEDDER_FOLDER ?? null,
      /** Why this embedder replaces the one that was requested; shown in `/readyz`. */
      note: env.LOCI_EMBEDDER_NOTE ?? null,
      threads: env.LOCI_EMBEDDER_THREADS ?? null,
      openai: {
        baseUrl: env.LOCI_OPENAI_BASE_URL ?? null,
        apiKey: env.LOCI_OPENAI_API_KEY ?? null,
        dimensions: env.LOCI_OPENAI_DIMENSIONS ?? null,
      },
    },
    /** Optional: memories and summaries also work without a chat model. */
    chat: {
      baseUrl: env.LOCI_CHAT_BASE_URL ?? null,
      model: env.LOCI_CHAT_MODEL ?? null,
      apiKey: env.LOCI_CHAT_API_KEY ?? null,
      timeoutMs: env.LOCI_CHAT_TIMEOUT_S * 1000,
    },
    /** Providers whose models every caller may list. */
    publicModels: {
      providers: env.LOCI_PUBLIC_MODEL_PROVIDERS,
      refreshMs: env.LOCI_PUBLIC_MODEL_REFRESH_S * 1000,
    },
    limits: {
      maxFileBytes: env.LOCI_MAX_FILE_BYTES,
      maxRequestBytes: env.LOCI_MAX_REQUEST_BYTES,
      maxRequestItems: env.LOCI_MAX_REQUEST_ITEMS,
      maxDownloadBytes: env.LOCI_MAX_DOWNLOAD_BYTES,
      maxTextBytes: env.LOCI_MAX_TEXT_BYTES,
      maxCrawlPages: env.LOCI_CRAWL_MAX_PAGES,
      compress: {
        maxBytes: env.LOCI_COMPRESS_MAX_BYTES,
        maxJobBytes: env.LOCI_COMPRESS_MAX_JOB_BYTES,
        timeoutMs: env.LOCI_COMPRESS_TIMEOUT_S * 1000,
        retentionMs: env.LOCI_COMPRESS_RETENTION_HOURS * 3_600_000,
      },
    },
    /** Limits of one uploaded archive, including the archives inside it. */
    archives: {
      maxEntries: env.LOCI_ARCHIVE_MAX_ENTRIES,
      maxBytes: env.LOCI_ARCHIVE_MAX_BYTES,
      maxRatio: env.LOCI_ARCHIVE_MAX_RATIO,
      maxDepth: env.LOCI_ARCHIVE_MAX_DEPTH,
    },
    readers: {
      processes: env.LOCI_READER_PROCESSES,
      memoryBytes: env.LOCI_READER_MEMORY_BYTES,
      timeoutMs: env.LOCI_READER_TIMEOUT_S * 1000,
    },
    crawling: {
      userAgent: crawlerAgent(env.LOCI_CRAWL_CONTACT),
      delayMs: env.LOCI_CRAWL_DELAY_MS,
      maxDelayMs: env.LOCI_CRAWL_MAX_DELAY_S * 1000,
      pageTimeoutMs: env.LOCI_CRAWL_PAGE_TIMEOUT_S * 1000,
      maxPageBytes: env.LOCI_CRAWL_MAX_PAGE_BYTES,
      queriesOfPath: env.LOCI_CRAWL_QUERIES_PER_PATH,
    },
    unstructured: { url: env.LOCI_UNSTRUCTURED_URL ?? null, apiKey: env.LOCI_UNSTRUCTURED_API_KEY ?? null },
    access: {
      administratorToken: env.LOCI_ADMIN_TOKEN ?? null,
      /** Null when bearer tokens of users are not configured. */
      tokens: tokenSettings(env),
      workspacesClaim: env.LOCI_JWT_WORKSPACES_CLAIM,
      corsOrigins: env.LOCI_CORS_ORIGINS,
      requestLimits: {
        perCaller: env.LOCI_RATE_LIMIT_PER_MINUTE,
        perWorkspace: env.LOCI_WORKSPACE_RATE_LIMIT_PER_MINUTE,
        failuresPerAddress: env.LOCI_FAILED_AUTH_PER_MINUTE,
      },
    },
    /** URLs that users may be redirected to after an OAuth authorization. */
    oauthRedirects: env.LOCI_OAUTH_REDIRECTS,
    webhooks: {
      timeoutMs: env.LOCI_WEBHOOK_TIMEOUT_S * 1000,
      /** Delay before each attempt, including the first. */
      attemptDelaysMs: env.LOCI_WEBHOOK_WAITS_S?.map((delayS) => delayS * 1000) ?? [...WEBHOOK_ATTEMPT_DELAYS_MS],
      logRetentionDays: env.LOCI_WEBHOOK_LOG_DAYS,
    },
    /** CIDR ranges of private networks that URLs of users may reach; empty by default. */
    egressAllow: env.LOCI_EGRESS_ALLOW,
  };
}

/** Turns zod's message into the rest of a line that begins with the name of the variable. */
function describeIssue(message: string): string {
  if (message.startsWith('is required')) return ` ${message}`;
  if (message.endsWith('received NaN')) return ' is not a number';
  return `: ${message.replace(/^Invalid input: /, '')}`;
}
