import type { ServiceSetting } from '#domain/records/access/service-facts.ts';
import { Environment } from './environment.ts';

/**
 * The texts that are shown. Everything else that is text, and every setting that is added, is hidden until it is listed here.
 * Numbers and flags are no secrets and always shown.
 */
const SHOWN_AS_TEXT: ReadonlySet<keyof Environment> = new Set([
  'LOCI_HOST',
  'LOCI_LOG_LEVEL',
  'LOCI_DATABASE_POOLING',
  // Addresses for gRPC are hosts and ports, and nothing else is accepted.
  'LOCI_TEMPORAL_ADDRESS',
  'LOCI_WEAVIATE_GRPC',
  'LOCI_TEMPORAL_NAMESPACE',
  'LOCI_TEMPORAL_TLS_SERVER_NAME',
  'LOCI_WORKER_DEPLOYMENT',
  'LOCI_WORKER_BUILD_ID',
  'LOCI_WEAVIATE_QUANTIZATION',
  'LOCI_BLOB_STORE',
  'LOCI_BLOB_DIR',
  'LOCI_WORK_DIR',
  'LOCI_S3_BUCKET',
  'LOCI_S3_REGION',
  'LOCI_S3_PREFIX',
  'LOCI_S3_ENCRYPTION',
  'LOCI_CACHE_DIR',
  'LOCI_EMBEDDER',
  'LOCI_EMBEDDER_MODEL',
  'LOCI_EMBEDDER_PRESET',
  'LOCI_EMBEDDER_FOLDER',
  'LOCI_EMBEDDER_NOTE',
  'LOCI_CHAT_MODEL',
  'LOCI_RERANK_MODEL',
  'LOCI_RERANK_FOLDER',
  'LOCI_EGRESS_ALLOW',
  'LOCI_WEBHOOK_WAITS_S',
  'LOCI_JWT_WORKSPACES_CLAIM',
  'LOCI_CONSOLE_OIDC_SCOPES',
  'LOCI_CONSOLE_OIDC_PARAMETERS',
  'LOCI_RATE_LIMIT_STORE',
  'LOCI_TRUSTED_PROXIES',
  'LOCI_MCP_HOSTS',
  'LOCI_MCP_SCOPES',
  'LOCI_OPERATOR_WORKSPACES',
]);

/** Of these, scheme and host are shown: credentials, paths and queries may be secrets. */
const SHOWN_AS_ORIGIN: ReadonlySet<keyof Environment> = new Set([
  'LOCI_PUBLIC_URL',
  'LOCI_WEAVIATE_URL',
  'LOCI_S3_ENDPOINT',
  'LOCI_EMBEDDER_URL',
  'LOCI_OPENAI_BASE_URL',
  'LOCI_CHAT_BASE_URL',
  'LOCI_RERANK_BASE_URL',
  'LOCI_UNSTRUCTURED_URL',
  'LOCI_JWT_JWKS_URL',
  'LOCI_JWT_ISSUER',
  'LOCI_TEMPORAL_UI_URL',
]);

/** Returns every setting with its value in force, without secrets, and whether that is the default. */
export function shownSettings(env: Environment): ServiceSetting[] {
  // `Object.keys` does not know the names.
  return (Object.keys(Environment.shape) as (keyof Environment)[]).map((name) => {
    const value = env[name];
    const text = value === undefined ? null : textOf(name, value);
    const isSet = JSON.stringify(value) !== JSON.stringify(Environment.shape[name].safeParse(undefined).data);
    return { name, is_set: isSet, is_hidden: isSet && text === null, value: text };
  });
}

/** The value as text; null when it is not shown. */
function textOf(name: keyof Environment, value: NonNullable<Environment[keyof Environment]>): string | null {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (SHOWN_AS_TEXT.has(name)) return plainText(value);
  if (typeof value !== 'string') return null;
  return SHOWN_AS_ORIGIN.has(name) ? originOf(value) : null;
}

function plainText(value: unknown): string | null {
  const isList = Array.isArray(value) && value.every((part) => ['string', 'number'].includes(typeof part));
  const text = isList ? value.join(', ') : value;
  // A text in which somebody put an address with a password.
  return typeof text === 'string' && !/:\/\/[^/\s]*@/.test(text) ? text : null;
}

function originOf(text: string): string | null {
  const url = URL.parse(text);
  return url === null || url.host === '' ? null : `${url.protocol}//${url.host}`;
}
