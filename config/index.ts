import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { accessProblems } from './access-problems.ts';
import { ConfigError } from './config-error.ts';
import { crawlerAgent } from '#domain/crawls/crawler-name.ts';
import { deepFreeze } from '#domain/deep-freeze.ts';
import { WEBHOOK_ATTEMPT_DELAYS_MS } from '#domain/webhooks/delivery-decision.ts';
import { PublicProviderSettings } from '#providers/models/public-provider-settings.ts';
import { readSecretFiles } from './read-secret-files.ts';

export { ConfigError };

const port = z.coerce.number().int().min(1).max(65_535);
const bytes = z.coerce.number().int().positive();
const count = z.coerce.number().int().positive();
const countOrNone = z.coerce.number().int().min(0);
const seconds = z.string().transform(Number).pipe(z.number().min(0));
const list = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);

const MIB = 1024 * 1024;

/** Every setting with its environment variable as name. `docs/operations.md` explains them; defaults are for one machine. */
const Environment = z.object({
  LOCI_HOST: z.string().default('127.0.0.1'),
  LOCI_PORT: port.default(8700),
  LOCI_PUBLIC_URL: z.url().optional(),
  LOCI_WORKER_PORT: port.default(8701),
  LOCI_LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  LOCI_DATABASE_URL: z.string().min(1, 'is required: postgres://user:password@host:port/database'),
  LOCI_DATABASE_POOL: count.default(10),
  LOCI_TEMPORAL_ADDRESS: z.string().default('127.0.0.1:8733'),
  LOCI_TEMPORAL_NAMESPACE: z.string().default('default'),
  LOCI_WEAVIATE_URL: z.url().default('http://127.0.0.1:8790'),
  LOCI_WEAVIATE_GRPC: z.string().default('127.0.0.1:8791'),
  LOCI_WEAVIATE_API_KEY: z.string().optional(),
  LOCI_BLOB_DIR: z.string().default('.loci/blobs'),
  LOCI_CACHE_DIR: z.string().default(join(homedir(), '.cache', 'loci')),
  LOCI_SECRET_KEYS: z
    .string()
    .min(1, 'is required: <version>:<base64 of 32 bytes>[,<older version>:<key>], newest first'),
  LOCI_API_KEY_PEPPER: z.string().min(32, 'is required: at least 32 characters that are not in the database'),
  LOCI_EMBEDDER: z.enum(['local', 'openai', 'lexical']).default('local'),
  LOCI_EMBEDDER_MODEL: z.string().optional(),
  LOCI_EMBEDDER_FOLDER: z.string().optional(),
  LOCI_EMBEDDER_NOTE: z.string().optional(),
  LOCI_EMBEDDER_THREADS: count.optional(),
  LOCI_OPENAI_BASE_URL: z.url().optional(),
  LOCI_OPENAI_API_KEY: z.string().optional(),
  LOCI_OPENAI_DIMENSIONS: count.optional(),
  LOCI_CHAT_BASE_URL: z.url().optional(),
  LOCI_CHAT_MODEL: z.string().optional(),
  LOCI_CHAT_API_KEY: z.string().optional(),
  LOCI_CHAT_TIMEOUT_S: count.default(60),
  LOCI_PUBLIC_MODEL_PROVIDERS: PublicProviderSettings.default([]),
  LOCI_PUBLIC_MODEL_REFRESH_S: count.min(60).default(3600),
  LOCI_MAX_FILE_BYTES: bytes.default(200 * MIB),
  LOCI_MAX_REQUEST_BYTES: bytes.default(1024 * MIB),
  LOCI_MAX_REQUEST_ITEMS: count.max(10_000).default(1_000),
  LOCI_MAX_DOWNLOAD_BYTES: bytes.default(200 * MIB),
  LOCI_MAX_TEXT_BYTES: bytes.default(64 * MIB),
  LOCI_ARCHIVE_MAX_ENTRIES: count.max(100_000).default(10_000),
  LOCI_ARCHIVE_MAX_BYTES: bytes.default(1024 * MIB),
  LOCI_ARCHIVE_MAX_RATIO: count.default(200),
  LOCI_ARCHIVE_MAX_DEPTH: count.max(10).default(3),
  LOCI_COMPRESS_MAX_BYTES: bytes.default(MIB),
  LOCI_COMPRESS_MAX_JOB_BYTES: bytes.default(8 * MIB),
  LOCI_COMPRESS_TIMEOUT_S: count.default(60),
  LOCI_COMPRESS_RETENTION_HOURS: count.default(168),
  LOCI_READER_PROCESSES: count.default(2),
  LOCI_READER_MEMORY_BYTES: bytes.default(1024 * MIB),
  LOCI_READER_TIMEOUT_S: count.default(300),
  LOCI_CRAWL_DELAY_MS: countOrNone.default(1_000),
  LOCI_CRAWL_MAX_DELAY_S: countOrNone.default(30),
  LOCI_CRAWL_MAX_PAGES: count.max(1_000_000).default(10_000),
  LOCI_CRAWL_MAX_PAGE_BYTES: bytes.default(10 * MIB),
  LOCI_CRAWL_PAGE_TIMEOUT_S: count.default(30),
  LOCI_CRAWL_QUERIES_PER_PATH: count.default(50),
  LOCI_CRAWL_CONTACT: z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/, 'may have no spaces')
    .optional(),
  LOCI_UNSTRUCTURED_URL: z.url({ protocol: /^https?$/ }).optional(),
  LOCI_UNSTRUCTURED_API_KEY: z.string().optional(),
  LOCI_EGRESS_ALLOW: list.default([]),
  LOCI_WEBHOOK_TIMEOUT_S: count.max(60).default(15),
  LOCI_WEBHOOK_WAITS_S: list.pipe(z.array(seconds).min(1).max(50)).optional(),
  LOCI_WEBHOOK_LOG_DAYS: count.default(30),
  LOCI_ADMIN_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{32,}$/, 'needs at least 32 visible ASCII characters without spaces')
    .optional(),
  LOCI_JWT_JWKS_URL: z.url({ protocol: /^https?$/ }).optional(),
  LOCI_JWT_SECRET: z.string().min(32, 'needs at least 32 characters').optional(),
  LOCI_JWT_ISSUER: z.string().optional(),
  LOCI_JWT_AUDIENCE: z.string().optional(),
  LOCI_JWT_WORKSPACES_CLAIM: z.string().default('workspaces'),
  LOCI_RATE_LIMIT_PER_MINUTE: countOrNone.default(6000),
  LOCI_FAILED_AUTH_PER_MINUTE: countOrNone.default(120),
  LOCI_CORS_ORIGINS: list.default([]),
  LOCI_OAUTH_REDIRECTS: list.default([]),
});

/** Reads and checks the environment. Reports every problem at once. @throws ConfigError */
export function readConfig(environment: NodeJS.ProcessEnv) {
  const problems: string[] = [];
  const values = readSecretFiles(environment, problems);
  const parsed = Environment.safeParse(values);
  if (!parsed.success) {
    for (const issue of parsed.error.issues) problems.push(`${issue.path.join('.')}${plain(issue.message)}`);
  } else if (parsed.data.LOCI_EMBEDDER === 'openai') {
    if (!parsed.data.LOCI_OPENAI_BASE_URL) problems.push('LOCI_OPENAI_BASE_URL is required when LOCI_EMBEDDER=openai');
    if (!parsed.data.LOCI_EMBEDDER_MODEL) problems.push('LOCI_EMBEDDER_MODEL is required when LOCI_EMBEDDER=openai');
    if (!parsed.data.LOCI_OPENAI_DIMENSIONS)
      problems.push('LOCI_OPENAI_DIMENSIONS is required when LOCI_EMBEDDER=openai');
  }
  if (parsed.success && !parsed.data.LOCI_CHAT_BASE_URL !== !parsed.data.LOCI_CHAT_MODEL)
    problems.push('LOCI_CHAT_BASE_URL and LOCI_CHAT_MODEL go together: set both, or none');
  if (parsed.success) problems.push(...accessProblems(parsed.data));
  if (!parsed.success || problems.length > 0) throw new ConfigError(problems);
  return deepFreeze(shape(parsed.data));
}

export type Config = ReturnType<typeof readConfig>;

function shape(env: z.infer<typeof Environment>) {
  return {
    api: {
      host: env.LOCI_HOST,
      port: env.LOCI_PORT,
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
      /** Why this embedder is used, when it is not the one asked for; shown in `/readyz`. */
      note: env.LOCI_EMBEDDER_NOTE ?? null,
      threads: env.LOCI_EMBEDDER_THREADS ?? null,
      openai: {
        baseUrl: env.LOCI_OPENAI_BASE_URL ?? null,
        apiKey: env.LOCI_OPENAI_API_KEY ?? null,
        dimensions: env.LOCI_OPENAI_DIMENSIONS ?? null,
      },
    },
    /** Memories and summaries are made without a chat model where none is configured. */
    chat: {
      baseUrl: env.LOCI_CHAT_BASE_URL ?? null,
      model: env.LOCI_CHAT_MODEL ?? null,
      apiKey: env.LOCI_CHAT_API_KEY ?? null,
      timeoutMs: env.LOCI_CHAT_TIMEOUT_S * 1000,
    },
    /** Whose models everybody may see. */
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
    /** Of what is uploaded as one, with all that is packed inside. */
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
      /** Null where bearer tokens of users are not configured. */
      tokens: tokenSettings(env),
      workspacesClaim: env.LOCI_JWT_WORKSPACES_CLAIM,
      corsOrigins: env.LOCI_CORS_ORIGINS,
      requestLimits: {
        perCaller: env.LOCI_RATE_LIMIT_PER_MINUTE,
        failuresPerAddress: env.LOCI_FAILED_AUTH_PER_MINUTE,
      },
    },
    /** Where users may be sent when they come back from a provider. */
    oauthRedirects: env.LOCI_OAUTH_REDIRECTS,
    webhooks: {
      timeoutMs: env.LOCI_WEBHOOK_TIMEOUT_S * 1000,
      /** Before each attempt, the first included. */
      attemptDelaysMs: env.LOCI_WEBHOOK_WAITS_S?.map((wait) => wait * 1000) ?? [...WEBHOOK_ATTEMPT_DELAYS_MS],
      logRetentionDays: env.LOCI_WEBHOOK_LOG_DAYS,
    },
    /** CIDR ranges of private networks that user-given URLs may reach; empty by default. */
    egressAllow: env.LOCI_EGRESS_ALLOW,
  };
}

function tokenSettings(env: z.infer<typeof Environment>) {
  const { LOCI_JWT_JWKS_URL: jwksUrl, LOCI_JWT_SECRET: secret } = env;
  const { LOCI_JWT_ISSUER: issuer, LOCI_JWT_AUDIENCE: audience } = env;
  const keys = jwksUrl === undefined ? secret && { secret } : { jwksUrl };
  return keys && issuer && audience ? { keys, issuer, audience } : null;
}

/** Reads on after the name of the variable. */
function plain(message: string): string {
  if (message.startsWith('is required')) return ` ${message}`;
  if (message.endsWith('received NaN')) return ' is not a number';
  return `: ${message.replace(/^Invalid input: /, '')}`;
}
