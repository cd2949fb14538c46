import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { ALL_SLOTS, parseWorkerSlots, type WorkerSlots } from '#domain/worker-slots.ts';
import { PRESET_NAMES } from '#providers/embedders/model-presets.ts';
import { PublicProviderSettings } from '#providers/models/public-provider-settings.ts';
import { API_KEY_PREFIX } from '#security/api-key.ts';
import { parseIpRange } from '#security/ip-range.ts';
import { keyRingProblem } from '#security/key-ring.ts';
import { EmbedderEntries, MaxTokens } from './embedder-entries.ts';

const port = z.coerce.number().int().min(1).max(65_535);
const bytes = z.coerce.number().int().positive();
const count = z.coerce.number().int().positive();
const countOrNone = z.coerce.number().int().min(0);
/** Timers of Node are for less than 25 days, and end at once beyond that; some settings are multiplied by up to 5. */
const DAY_S = 86_400;
const WEEK_S = 7 * DAY_S;
const seconds = z.string().transform(Number).pipe(z.number().min(0));
const list = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);

const webUrl = z.url({ protocol: /^https?$/, error: 'must be a URL that begins with http:// or https://' });

const DATABASE_URL_FORM = 'postgres://user:password@host:port/database';
/** Of `postgres://` or `postgresql://`: the driver takes anything else for the path of a socket. */
const databaseUrl = z
  .string(`is required: ${DATABASE_URL_FORM}`)
  .regex(/^postgres(?:ql)?:\/\//, `must have the form ${DATABASE_URL_FORM}`);

const flag = z.enum(['true', 'false']).transform((text) => text === 'true');

/** Temporal joins the name of a deployment and the id of a build by the first full stop, so that only the id may have more. */
const deploymentName = z.string().regex(/^[\w-][\w+-]{0,127}$/, 'may have letters, digits, and _ + -, at most 128');
const buildId = z.string().regex(/^[\w-][\w.+-]{0,127}$/, 'may have letters, digits, and . _ + -, at most 128');

/** The slots of a list of queues; what is wrong with it becomes the message of the setting. */
function workerSlots(entries: readonly string[], context: z.RefinementCtx): WorkerSlots {
  const parsed = parseWorkerSlots(entries);
  if (!('problem' in parsed)) return parsed;
  context.addIssue({ code: 'custom', message: parsed.problem });
  return z.NEVER;
}

const MIB = 1024 * 1024;

/** Every setting under the name of its environment variable. `docs/operations.md` explains them; the defaults suit one machine. */
export const Environment = z.object({
  LOCI_HOST: z.string().default('127.0.0.1'),
  LOCI_PORT: port.default(8700),
  LOCI_SHUTDOWN_DELAY_S: countOrNone.max(300).default(5),
  // Paths are added to it.
  LOCI_PUBLIC_URL: webUrl.transform((url) => url.replace(/\/+$/, '')).optional(),
  LOCI_WORKER_PORT: port.default(8701),
  LOCI_WORKER_QUEUES: list.transform(workerSlots).default(ALL_SLOTS),
  LOCI_LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  LOCI_DATABASE_URL: databaseUrl,
  LOCI_DATABASE_POOL: count.default(10),
  LOCI_DATABASE_POOLING: z.enum(['session', 'transaction']).default('session'),
  LOCI_DATABASE_REPLICA_URL: databaseUrl.optional(),
  LOCI_DATABASE_REPLICA_MAX_LAG_S: count.max(3600).default(5),
  LOCI_TEMPORAL_ADDRESS: address({ needsPort: false }).default('127.0.0.1:8733'),
  LOCI_TEMPORAL_NAMESPACE: z.string().default('default'),
  LOCI_TEMPORAL_NAMESPACE_MANAGED: flag.default(false),
  LOCI_TEMPORAL_TLS: flag.optional(),
  LOCI_TEMPORAL_TLS_CA: pem('CERTIFICATE').optional(),
  LOCI_TEMPORAL_TLS_CERT: pem('CERTIFICATE').optional(),
  LOCI_TEMPORAL_TLS_KEY: pem('PRIVATE KEY').optional(),
  LOCI_TEMPORAL_TLS_SERVER_NAME: z.string().optional(),
  LOCI_TEMPORAL_API_KEY: z.string().optional(),
  LOCI_TEMPORAL_CODEC: z.string().optional(),
  LOCI_TEMPORAL_UI_URL: webUrl.optional(),
  LOCI_WORKER_DEPLOYMENT: deploymentName.optional(),
  LOCI_WORKER_BUILD_ID: buildId.optional(),
  LOCI_WEAVIATE_URL: webUrl.default('http://127.0.0.1:8790'),
  LOCI_WEAVIATE_GRPC: address({ needsPort: true }).default('127.0.0.1:8791'),
  LOCI_WEAVIATE_API_KEY: z.string().optional(),
  LOCI_WEAVIATE_REPLICATION_FACTOR: count.max(100).optional(),
  LOCI_WEAVIATE_QUANTIZATION: z.enum(['none', 'rq8']).optional(),
  LOCI_WEAVIATE_IDLE_MINUTES: countOrNone.max(525_600).default(1_440),
  LOCI_BLOB_STORE: z.enum(['folder', 's3']).default('folder'),
  LOCI_BLOB_DIR: z.string().default('.loci/blobs'),
  LOCI_BLOB_ROW_BYTES: countOrNone.max(8_192).default(4_096),
  LOCI_WORK_DIR: z.string().optional(),
  LOCI_S3_BUCKET: z.string().optional(),
  LOCI_S3_REGION: z.string().optional(),
  LOCI_S3_ENDPOINT: webUrl.optional(),
  LOCI_S3_PREFIX: z
    .string()
    .regex(/^(?:[\w.-]+(?:\/[\w.-]+)*)?$/, 'must be names of letters, digits, ".", "_" and "-", separated by "/"')
    .default(''),
  LOCI_S3_PATH_STYLE: flag.default(false),
  LOCI_S3_ACCESS_KEY_ID: z.string().optional(),
  LOCI_S3_SECRET_ACCESS_KEY: z.string().optional(),
  LOCI_S3_ENCRYPTION: z.enum(['AES256', 'aws:kms']).optional(),
  LOCI_S3_KMS_KEY_ID: z.string().optional(),
  LOCI_S3_PRESIGNED_DOWNLOADS: flag.default(false),
  LOCI_CACHE_DIR: z.string().default(join(homedir(), '.cache', 'loci')),
  LOCI_SECRET_KEYS: z
    .string('is required: <version>:<base64 of 32 bytes>, comma-separated; the first encrypts, all decrypt')
    .superRefine(reportWith(keyRingProblem)),
  LOCI_API_KEY_PEPPER: z
    .string('is required: at least 32 characters that are not in the database')
    .min(32, 'is too short: it needs at least 32 characters'),
  LOCI_EMBEDDER: z.enum(['local', 'openai', 'lexical']).default('local'),
  LOCI_EMBEDDER_MODEL: z.string().optional(),
  LOCI_EMBEDDER_PRESET: z.enum(PRESET_NAMES).optional(),
  LOCI_EMBEDDER_FOLDER: z.string().optional(),
  LOCI_EMBEDDER_NOTE: z.string().optional(),
  LOCI_EMBEDDER_THREADS: count.optional(),
  LOCI_EMBEDDER_MAX_LOADED: count.default(3),
  LOCI_EMBEDDER_URL: webUrl.optional(),
  LOCI_EMBEDDER_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{32,}$/, 'needs at least 32 visible ASCII characters without spaces')
    .optional(),
  LOCI_EMBEDDERS: EmbedderEntries.default({}),
  LOCI_OPENAI_BASE_URL: webUrl.optional(),
  LOCI_OPENAI_API_KEY: z.string().optional(),
  LOCI_OPENAI_DIMENSIONS: count.optional(),
  LOCI_OPENAI_MAX_TOKENS: z.coerce.number().pipe(MaxTokens).optional(),
  LOCI_CHAT_BASE_URL: webUrl.optional(),
  LOCI_CHAT_MODEL: z.string().optional(),
  LOCI_CHAT_API_KEY: z.string().optional(),
  LOCI_CHAT_TIMEOUT_S: count.max(DAY_S).default(60),
  LOCI_CHAT_REASONING_TOKENS: countOrNone.max(100_000).default(0),
  LOCI_RERANK_BASE_URL: webUrl.optional(),
  LOCI_RERANK_MODEL: z.string().optional(),
  LOCI_RERANK_API_KEY: z.string().optional(),
  LOCI_RERANK_FOLDER: z.string().optional(),
  LOCI_RERANK_THREADS: count.max(64).default(1),
  LOCI_RERANK_PASSAGE_CHARACTERS: count.min(200).max(16_000).default(4_000),
  LOCI_RERANK_TIMEOUT_S: seconds.pipe(z.number().min(0.1).max(60)).default(10),
  LOCI_PUBLIC_MODEL_PROVIDERS: PublicProviderSettings.default([]),
  LOCI_PUBLIC_MODEL_REFRESH_S: count.min(60).max(WEEK_S).default(3600),
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
  LOCI_COMPRESS_TIMEOUT_S: count.max(DAY_S).default(60),
  LOCI_COMPRESS_RETENTION_HOURS: count.default(168),
  LOCI_READER_PROCESSES: count.default(2),
  LOCI_READER_MEMORY_BYTES: bytes.default(1024 * MIB),
  LOCI_READER_TIMEOUT_S: count.max(DAY_S).default(300),
  LOCI_CRAWL_DELAY_MS: countOrNone.max(DAY_S * 1_000).default(1_000),
  LOCI_CRAWL_MAX_DELAY_S: countOrNone.max(DAY_S).default(30),
  LOCI_CRAWL_MAX_PAGES: count.max(1_000_000).default(10_000),
  LOCI_CRAWL_MAX_PAGE_BYTES: bytes.default(10 * MIB),
  LOCI_CRAWL_PAGE_TIMEOUT_S: count.max(DAY_S).default(30),
  LOCI_CRAWL_QUERIES_PER_PATH: count.default(50),
  LOCI_CRAWL_CONTACT: z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/, 'must be 1 to 200 visible ASCII characters without spaces')
    .optional(),
  LOCI_UNSTRUCTURED_URL: webUrl.optional(),
  LOCI_UNSTRUCTURED_API_KEY: z.string().optional(),
  LOCI_EGRESS_ALLOW: list.superRefine(reportWith(unusableRange)).default([]),
  LOCI_WEBHOOK_TIMEOUT_S: count.max(60).default(15),
  LOCI_WEBHOOK_WAITS_S: list.pipe(z.array(seconds).min(1).max(50)).optional(),
  LOCI_WEBHOOK_LOG_DAYS: count.default(30),
  LOCI_ADMIN_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{32,}$/, 'needs at least 32 visible ASCII characters without spaces')
    .refine((token) => !token.startsWith(API_KEY_PREFIX), `may not begin with ${API_KEY_PREFIX}, as API keys do`)
    .optional(),
  LOCI_OPERATOR_WORKSPACES: list.pipe(z.array(z.uuid().toLowerCase())).default([]),
  LOCI_JWT_JWKS_URL: webUrl.optional(),
  LOCI_JWT_SECRET: z.string().min(32, 'needs at least 32 characters').optional(),
  LOCI_JWT_ISSUER: z.string().optional(),
  LOCI_JWT_AUDIENCE: z.string().optional(),
  LOCI_JWT_WORKSPACES_CLAIM: z.string().default('workspaces'),
  LOCI_CONSOLE_OIDC_CLIENT_ID: z.string().optional(),
  LOCI_CONSOLE_OIDC_SCOPES: list.default(['openid']),
  LOCI_CONSOLE_OIDC_PARAMETERS: z.string().default(''),
  LOCI_RATE_LIMIT_PER_MINUTE: countOrNone.default(6000),
  LOCI_WORKSPACE_RATE_LIMIT_PER_MINUTE: countOrNone.default(30_000),
  LOCI_FAILED_AUTH_PER_MINUTE: countOrNone.default(120),
  LOCI_RATE_LIMIT_STORE: z.enum(['memory', 'postgres', 'redis']).default('memory'),
  LOCI_REDIS_URL: z.url({ protocol: /^rediss?$/ }).optional(),
  LOCI_TRUSTED_PROXIES: list.superRefine(reportWith(unusableRange)).default([]),
  LOCI_CORS_ORIGINS: list.default([]),
  LOCI_MCP_HOSTS: list.transform((names) => names.map((name) => name.toLowerCase())).default([]),
  LOCI_MCP_SCOPES: list.default([]),
  LOCI_OAUTH_REDIRECTS: list.default([]),
});

export type Environment = z.infer<typeof Environment>;

/** A host with its port, without a scheme: clients of gRPC accept nothing else, and say so with their first call only. */
function address({ needsPort }: { needsPort: boolean }) {
  const host = String.raw`(?:\[[\da-f:.]+\]|[\w.-]+)`;
  const pattern = new RegExp(`^${host}(?::\\d{1,5})${needsPort ? '' : '?'}$`, 'i');
  return z
    .string()
    .regex(pattern, `is not an address: write host${needsPort ? ':port' : ' or host:port'}, without http://`);
}

/** A refinement that reports the problem that `problemOf` finds; null for none. */
function reportWith<T>(problemOf: (value: T) => string | null) {
  return (value: T, context: z.RefinementCtx) => {
    const message = problemOf(value);
    if (message !== null) context.addIssue({ code: 'custom', message });
  };
}

function unusableRange(ranges: readonly string[]): string | null {
  return ranges.map((range) => parseIpRange(range).problem).find((problem) => problem !== null) ?? null;
}

/** Text of a PEM file. Orchestrators mount these as files: `LOCI_X_FILE`. */
function pem(kind: 'CERTIFICATE' | 'PRIVATE KEY') {
  const message = `is not PEM: it has no line '-----BEGIN ${kind}-----'; to name a file, set the variable with _FILE at its end`;
  return z.string().regex(new RegExp(`-----BEGIN [A-Z ]*${kind}-----`), message);
}

/** Returns the problems of settings that need one another: those of the chat model, the reranker and the shared limits. */
export function incompleteSettings(env: Environment): string[] {
  const problems: string[] = [];
  if (!env.LOCI_CHAT_BASE_URL !== !env.LOCI_CHAT_MODEL) {
    problems.push('LOCI_CHAT_BASE_URL and LOCI_CHAT_MODEL go together: set both or neither');
  }
  if (env.LOCI_RERANK_BASE_URL && env.LOCI_RERANK_FOLDER) {
    problems.push('LOCI_RERANK_BASE_URL and LOCI_RERANK_FOLDER are two rerankers: set one of them');
  }
  if (env.LOCI_RATE_LIMIT_STORE === 'redis' && !env.LOCI_REDIS_URL) {
    problems.push('LOCI_REDIS_URL is required when LOCI_RATE_LIMIT_STORE=redis');
  }
  return problems;
}
