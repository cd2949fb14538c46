import { z } from 'zod';
import { Collection } from '#domain/records/collection.ts';
import { UploadResponse } from '#domain/records/upload.ts';
import { CreatedWorkspace } from '#domain/records/workspace.ts';
import type { BenchStack } from '#bench/bench-stack.ts';
import { createServiceClient, type ServiceClient } from '#bench/service-client.ts';

/** What a request was answered. `code`: that of the error, or what broke the connection. `bytes`: of the response. */
export type Answer = { status: number; code: string; bytes: number; elapsedMs: number };

export type Sent = { method?: string; json?: unknown; body?: NonNullable<RequestInit['body']>; key?: string | null };

/** A workspace of a running service, with a collection. */
export type Target = {
  stack: BenchStack;
  baseUrl: string;
  key: string;
  workspaceId: string;
  collectionId: string;
  client: ServiceClient;
  /** Sends a request below `/api/v1` and reads the whole response; errors are answers as well. */
  send(path: string, sent?: Sent): Promise<Answer>;
  /** Sends a request that must succeed. */
  call<S extends z.ZodType>(path: string, schema: S, sent?: Sent): Promise<z.output<S>>;
  /** Uploads a form into the collection; an upload without any accepted item is an error. */
  upload(entries: readonly (readonly [string, string | Blob, string?])[]): Promise<UploadResponse>;
  close(): Promise<void>;
};

/** Creates a workspace of its own with a key and a collection. */
export async function createTarget(stack: BenchStack): Promise<Target> {
  const baseUrl = `http://127.0.0.1:${stack.servers.ports.api}`;
  const headers = { Authorization: `Bearer ${stack.servers.environment['LOCI_ADMIN_TOKEN'] ?? ''}` };
  const created = await fetch(`${baseUrl}/api/v1/workspaces`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'bench' }),
  });
  const { id: workspaceId, api_key: first } = CreatedWorkspace.parse(await created.json());
  const key = first.secret ?? '';
  const request = (path: string, sent: Sent = {}) => requestOf(`${baseUrl}/api/v1${path}`, { key, ...sent });
  const call: Target['call'] = async (path, schema, sent) => {
    const response = await request(path, sent);
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text.slice(0, 500)}`);
    return schema.parse(JSON.parse(text));
  };
  const { id: collectionId } = await call('/collections', Collection, { json: { name: 'bench' } });
  const client = createServiceClient(baseUrl, key);
  return {
    stack,
    baseUrl,
    key,
    workspaceId,
    collectionId,
    client,
    call,
    send: (path, sent) => answerOf(() => request(path, sent)),
    upload: (entries) => call('/upload', UploadResponse, { body: formOf(collectionId, entries) }),
    close: () => client.close(),
  };
}

/** A form for the collection; the third part of an entry is the name of a file. */
export function formOf(
  collectionId: string,
  entries: readonly (readonly [string, string | Blob, string?])[],
): FormData {
  const form = new FormData();
  form.append('collection_id', collectionId);
  for (const [field, value, name] of entries) {
    if (typeof value === 'string') form.append(field, value);
    else form.append(field, value, name);
  }
  return form;
}

/** Counts equal answers: "200 × 3, 429 rate_limited × 2". */
export function tally(answers: readonly Pick<Answer, 'status' | 'code'>[]): string {
  const counts = Map.groupBy(answers, ({ status, code }) => [status || '', code].filter(Boolean).join(' '));
  return [...counts].map(([answer, { length }]) => `${answer} × ${length}`).join(', ');
}

function requestOf(url: string, { method, json, body, key = null }: Sent): Promise<Response> {
  return fetch(url, {
    method: method ?? (json === undefined && body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(key === null ? {} : { 'X-API-Key': key }),
      ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    body: json === undefined ? (body ?? null) : JSON.stringify(json),
  });
}

const Failure = z.object({ code: z.string() });

async function answerOf(request: () => Promise<Response>): Promise<Answer> {
  const startedMs = performance.now();
  try {
    const response = await request();
    let bytes = 0;
    let beginning = '';
    for await (const chunk of response.body ?? []) {
      // The body of `fetch` consists of bytes.
      if (bytes < 4_096) beginning += Buffer.from(chunk as Uint8Array).toString();
      bytes += (chunk as Uint8Array).length;
    }
    const code = response.ok ? '' : codeOf(beginning);
    return { status: response.status, code, bytes, elapsedMs: performance.now() - startedMs };
  } catch (error) {
    const code = error instanceof Error ? error.message : 'closed';
    return { status: 0, code, bytes: 0, elapsedMs: performance.now() - startedMs };
  }
}

function codeOf(text: string): string {
  try {
    return Failure.safeParse(JSON.parse(text)).data?.code ?? '';
  } catch {
    return '';
  }
}
