import { resolve } from 'node:path';
import { accessRuleProblems, consoleSignIn, mcpSettings, tokenSettings } from './access-rules.ts';
import { blobSettingProblems, blobSettings } from './blob-settings.ts';
import { ConfigError } from './config-error.ts';
import { embedderProblems, embedderSettings, namedEmbedders, type NamedEmbedderSettings } from './embedder-settings.ts';
import { describeIssue, plainWords } from './describe-issue.ts';
import { Environment, incompleteSettings } from './environment.ts';
import { crawlerAgent } from '#domain/crawls/crawler-name.ts';
import { deepFreeze } from '#domain/deep-freeze.ts';
import { WEBHOOK_ATTEMPT_DELAYS_MS } from '#domain/webhooks/delivery-decision.ts';
import { readSecretFiles } from './secret-files.ts';
import { shownSettings } from './shown-settings.ts';
import { unknownSettings } from './unknown-settings.ts';
import { temporalProblems, temporalSettings } from './temporal-settings.ts';

/** Reads and checks the environment. @throws ConfigError with every problem at once. */
export function readConfig(environment: NodeJS.ProcessEnv) {
  const { values, problems } = readSecretFiles(environment);
  const parsed = Environment.safeParse(values, { error: plainWords });
  if (!parsed.success) {
    throw new ConfigError([...problems, ...parsed.error.issues.map(describeIssue)]);
  }
  const embedders = namedEmbedders(parsed.data, { environment, values });
  problems.push(
    ...embedderProblems(parsed.data),
    ...embedders.problems,
    ...incompleteSettings(parsed.data),
    ...temporalProblems(parsed.data),
    ...blobSettingProblems(parsed.data),
    ...accessRuleProblems(parsed.data),
  );
  if (problems.length > 0) throw new ConfigError(problems);
  return deepFreeze({
    ...toConfig(parsed.data, embedders.named),
    shown: shownSettings(parsed.data),
    /** Variables that look like settings and are none. */
    unknown: unknownSettings(values),
  });
}

export type Config = ReturnType<typeof readConfig>;

function toConfig(env: Environment, named: readonly NamedEmbedderSettings[]) {
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
    worker: { host: env.LOCI_HOST, port: env.LOCI_WORKER_PORT, slots: env.LOCI_WORKER_QUEUES },
    logLevel: env.LOCI_LOG_LEVEL,
    database: { url: env.LOCI_DATABASE_URL, poolSize: env.LOCI_DATABASE_POOL, pooling: env.LOCI_DATABASE_POOLING },
    /** Of the API, for lists; a URL of null for none. */
    replica: { url: env.LOCI_DATABASE_REPLICA_URL ?? null, maxLagMs: env.LOCI_DATABASE_REPLICA_MAX_LAG_S * 1000 },
    temporal: temporalSettings(env),
    weaviate: {
      url: env.LOCI_WEAVIATE_URL,
      grpc: env.LOCI_WEAVIATE_GRPC,
      apiKey: env.LOCI_WEAVIATE_API_KEY ?? null,
      /** How classes are created; existing ones stay as they are. */
      classes: {
        replicationFactor: env.LOCI_WEAVIATE_REPLICATION_FACTOR ?? null,
        quantization: env.LOCI_WEAVIATE_QUANTIZATION ?? null,
      },
      /** Collections that are not used for this long are taken out of memory; null: never. */
      tenantIdleMs: env.LOCI_WEAVIATE_IDLE_MINUTES === 0 ? null : env.LOCI_WEAVIATE_IDLE_MINUTES * 60_000,
    },
    blobs: blobSettings(env),
    cacheDir: resolve(env.LOCI_CACHE_DIR),
    secrets: { keys: env.LOCI_SECRET_KEYS, apiKeyPepper: env.LOCI_API_KEY_PEPPER },
    embedder: embedderSettings(env, named),
    /** Optional: memories and summaries also work without a chat model. */
    chat: {
      baseUrl: env.LOCI_CHAT_BASE_URL ?? null,
      model: env.LOCI_CHAT_MODEL ?? null,
      apiKey: env.LOCI_CHAT_API_KEY ?? null,
      timeoutMs: env.LOCI_CHAT_TIMEOUT_S * 1000,
      reasoningTokens: env.LOCI_CHAT_REASONING_TOKENS,
    },
    /** Optional: searches that ask for reranking say that there is none. */
    reranker: {
      baseUrl: env.LOCI_RERANK_BASE_URL ?? null,
      model: env.LOCI_RERANK_MODEL ?? null,
      apiKey: env.LOCI_RERANK_API_KEY ?? null,
      folder: env.LOCI_RERANK_FOLDER ?? null,
      threads: env.LOCI_RERANK_THREADS,
      passageCharacters: env.LOCI_RERANK_PASSAGE_CHARACTERS,
      timeoutMs: Math.round(env.LOCI_RERANK_TIMEOUT_S * 1000),
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
    /** Where people see its workflows; null when it is not known. */
    temporalUiUrl: env.LOCI_TEMPORAL_UI_URL ?? null,
    access: {
      /** Workspaces whose keys with every permission see what concerns the whole service. */
      operatorWorkspaces: env.LOCI_OPERATOR_WORKSPACES,
      administratorToken: env.LOCI_ADMIN_TOKEN ?? null,
      /** Null when bearer tokens of users are not configured. */
      tokens: tokenSettings(env),
      workspacesClaim: env.LOCI_JWT_WORKSPACES_CLAIM,
      /** How users sign in with the issuer of their tokens; null where they cannot. */
      signIn: consoleSignIn(env),
      /** Proxies that are believed whom they forward requests for. */
      trustedProxies: env.LOCI_TRUSTED_PROXIES,
      corsOrigins: env.LOCI_CORS_ORIGINS,
      requestLimits: {
        perCaller: env.LOCI_RATE_LIMIT_PER_MINUTE,
        perWorkspace: env.LOCI_WORKSPACE_RATE_LIMIT_PER_MINUTE,
        failuresPerAddress: env.LOCI_FAILED_AUTH_PER_MINUTE,
      },
      /** Where requests are counted: in each process, or for all of them together. */
      requestCounters: { kind: env.LOCI_RATE_LIMIT_STORE, redisUrl: env.LOCI_REDIS_URL ?? null },
    },
    mcp: mcpSettings(env),
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
