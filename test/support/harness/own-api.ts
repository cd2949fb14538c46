import type { ExecutionContext } from 'ava';
import { createApp, type AppOptions } from '#api/app.ts';
import { listen } from '#api/server.ts';
import { generateApiKey, hashApiKey } from '#security/api-key.ts';
import { openOwnServices, type OwnOptions, type OwnServices } from './own-services.ts';

export type OwnSent = {
  method?: string;
  /** Sent as `Authorization: Bearer`. */
  token?: string;
  /** Sent as `X-Workspace-Id`. */
  workspaceId?: string;
  headers?: Record<string, string>;
  json?: unknown;
  form?: FormData;
};

export type OwnAnswer = { status: number; headers: Headers; body: unknown };

export type OwnApi = OwnServices & {
  baseUrl: string;
  send(path: string, sent?: OwnSent): Promise<OwnAnswer>;
};

/** Runs an API in the process of the test, with its own database and settings, until the test ends. */
export async function openOwnApi(
  t: ExecutionContext,
  { settings = {}, schema = 'current', ...options }: Partial<AppOptions> & Pick<OwnOptions, 'settings' | 'schema'> = {},
): Promise<OwnApi> {
  const own = await openOwnServices(t, { temporal: 'away', settings, schema });
  const app = createApp(own.services, { version: 'test', ...options });
  const server = await listen(app.callback(), { host: '127.0.0.1', port: 0 });
  t.teardown(() => server.close(1_000));
  const baseUrl = `http://127.0.0.1:${server.port}`;
  return { ...own, baseUrl, send: (path, sent = {}) => send(`${baseUrl}/api/v1${path}`, sent) };
}

/** Inserts an API key that may do everything in a workspace. `key` is its public part. */
export async function insertOwnKey(
  { services: { stores, secrets } }: Pick<OwnApi, 'services'>,
  workspaceId: string,
): Promise<{ key: string; secret: string }> {
  const { id: key, secret } = generateApiKey();
  const hashedSecret = hashApiKey(secret, secrets.apiKeyPepper);
  const record = { workspaceId, key, hashedSecret, label: 'a test', permissions: ['*' as const] };
  await stores.system.insertApiKey({ ...record, createdBy: 'a test' });
  return { key, secret };
}

async function send(url: string, { token, workspaceId, json, form, ...sent }: OwnSent): Promise<OwnAnswer> {
  const response = await fetch(url, {
    ...sent,
    headers: {
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...(workspaceId === undefined ? {} : { 'X-Workspace-Id': workspaceId }),
      ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...sent.headers,
    },
    body: json === undefined ? (form ?? null) : JSON.stringify(json),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) };
}
