import { z } from 'zod';
import { Collection } from '#domain/records/collection.ts';
import { UploadResponse } from '#domain/records/upload.ts';
import { generateApiKey, hashApiKey } from '#security/api-key.ts';
import { createPostgres, query } from '#store/postgres.ts';
import { createStores } from '#store/stores.ts';
import { testStack } from './stack.ts';

const Failure = z.object({
  code: z.string().optional(),
  detail: z.union([z.string(), z.array(z.object({ loc: z.array(z.string()), msg: z.string(), type: z.string() }))]),
  request_id: z.string().optional(),
});

export type Sent = { method?: string; headers?: Record<string, string>; body?: RequestInit['body']; json?: unknown };

/** A client of the running API, or of another one, that sends this API key, or these headers; null sends no credentials. */
export function apiClient(
  credentials: string | null | Readonly<Record<string, string>>,
  prefix = '/api/v1',
  { baseUrl }: { baseUrl: string } = testStack(),
) {
  const send = async (path: string, { json, body, ...sent }: Sent = {}) =>
    fetch(baseUrl + prefix + path, {
      ...sent,
      headers: {
        ...(typeof credentials === 'string' ? { 'X-API-Key': credentials } : credentials),
        ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...sent.headers,
      },
      body: json === undefined ? (body ?? null) : JSON.stringify(json),
    });
  return {
    send,
    /** Returns the parsed body. @throws Error when the response has another status than `status`, 200 by default, or shape */
    async get<S extends z.ZodType>(
      path: string,
      schema: S,
      sent: Sent & { status?: number } = {},
    ): Promise<z.output<S>> {
      const { status = 200, ...rest } = sent;
      const response = await send(path, rest);
      const text = await response.text();
      if (response.status !== status) throw new Error(`${path} answered ${response.status}: ${text}`);
      return schema.parse(JSON.parse(text));
    },
    async post<S extends z.ZodType>(
      path: string,
      schema: S,
      sent: Sent & { status?: number } = {},
    ): Promise<z.output<S>> {
      return this.get(path, schema, { method: 'POST', ...sent });
    },
    /** Sends a request that is expected to fail. Returns its status, and its body in one of the two error shapes. */
    async fail(path: string, sent: Sent = {}) {
      const response = await send(path, sent);
      const body = Failure.parse(await response.json());
      const problems = Array.isArray(body.detail) ? body.detail.map(({ loc, type }) => `${loc.join('.')} ${type}`) : [];
      return { status: response.status, code: body.code, problems, body, headers: response.headers };
    },
    async createCollection(name: string): Promise<Collection> {
      return this.post('/collections', Collection, { json: { name, embedding: { provider: 'lexical' } }, status: 201 });
    },
    /** Uploads and waits, up to 60 s, until the contents are ready or failed. */
    async upload(
      collectionId: string,
      entries: readonly (readonly [string, string | File])[],
    ): Promise<UploadResponse> {
      const form = formFor(collectionId, entries);
      return this.post('/upload', UploadResponse, { body: form, headers: { Prefer: 'wait=60' }, status: 202 });
    },
  };
}

export type ApiClient = ReturnType<typeof apiClient>;

export function formFor(collectionId: string, entries: readonly (readonly [string, string | File])[]): FormData {
  const form = new FormData();
  form.append('collection_id', collectionId);
  for (const [name, value] of entries) form.append(name, value);
  return form;
}

type KeyOptions = {
  workspaceId?: string;
  permissions?: readonly string[];
  collections?: readonly string[];
  ipWhitelist?: readonly string[];
  isExpired?: boolean;
  isRevoked?: boolean;
};

/** Creates a key of the running service, by default with every permission in a new workspace. */
export async function createKey(options: KeyOptions = {}): Promise<{ key: string; workspaceId: string }> {
  const { databaseUrl, environment } = testStack();
  const knex = createPostgres({ url: databaseUrl, poolSize: 1, applicationName: 'loci-test' });
  try {
    const stores = createStores(knex);
    const workspaceId = options.workspaceId ?? (await stores.system.insertWorkspace('a test'));
    const { id, secret } = generateApiKey();
    const recordId = await stores.system.insertApiKey({
      workspaceId,
      key: id,
      hashedSecret: hashApiKey(secret, environment['LOCI_API_KEY_PEPPER'] ?? ''),
      label: 'a test',
      permissions: options.permissions ?? ['*'],
      createdBy: 'a test',
    });
    const { collections, ipWhitelist, isExpired = false, isRevoked = false } = options;
    await query(
      knex,
      `update api_keys set collections = :collections::uuid[], ip_whitelist = :ipWhitelist::text[],
         expires_at = case when :isExpired::boolean then now() - interval '1 second' end,
         status = case when :isRevoked::boolean then 'revoked' else 'active' end where id = :recordId`,
      { recordId, collections, ipWhitelist, isExpired, isRevoked },
    );
    return { key: secret, workspaceId };
  } finally {
    await knex.destroy();
  }
}

/** A client with every permission in a new workspace. */
export async function freshClient(): Promise<ApiClient & { workspaceId: string; key: string }> {
  const { key, workspaceId } = await createKey();
  return { ...apiClient(key), workspaceId, key };
}
