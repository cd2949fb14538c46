import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { PublicProviderSettings } from '#providers/models/public-provider-settings.ts';

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

/** Every setting under the name of its environment variable. `docs/operations.md` explains them; the defaults suit one machine. */
export const Environment = z.object({
  LOCI_HOST: z.string().default('127.0.0.1'),
  LOCI_PORT: port.default(8700),
  LOCI_SHUTDOWN_DELAY_S: countOrNone.max(300).default(5),
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
    .regex(/^[\x21-\x7e]{1,200}$/, 'must be 1 to 200 visible ASCII characters without spaces')
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
  LOCI_WORKSPACE_RATE_LIMIT_PER_MINUTE: countOrNone.default(30_000),
  LOCI_FAILED_AUTH_PER_MINUTE: countOrNone.default(120),
  LOCI_CORS_ORIGINS: list.default([]),
  LOCI_OAUTH_REDIRECTS: list.default([]),
});

export type Environment = z.infer<typeof Environment>;

/** Returns the problems of settings that need one another: those of the embedder and of the chat model. */
export function incompleteSettings(env: Environment): string[] {
  const problems: string[] = [];
  if (env.LOCI_EMBEDDER === 'openai') {
    if (!env.LOCI_OPENAI_BASE_URL) problems.push('LOCI_OPENAI_BASE_URL is required when LOCI_EMBEDDER=openai');
    if (!env.LOCI_EMBEDDER_MODEL) problems.push('LOCI_EMBEDDER_MODEL is required when LOCI_EMBEDDER=openai');
    if (!env.LOCI_OPENAI_DIMENSIONS) problems.push('LOCI_OPENAI_DIMENSIONS is required when LOCI_EMBEDDER=openai');
  }
  if (!env.LOCI_CHAT_BASE_URL !== !env.LOCI_CHAT_MODEL) {
    problems.push('LOCI_CHAT_BASE_URL and LOCI_CHAT_MODEL go together: set both or neither');
  }
  return problems;
}
