import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Koa from 'koa';
import { z } from 'zod';
import { answerErrors } from '#api/http/response/answer-errors.ts';
import { receiveUpload } from '#api/http/multipart/receive-upload.ts';
import type { MinimumRate } from '#api/http/request/minimum-rate.ts';
import { drainRequestBody } from '#api/http/request/request-body.ts';
import { assignRequestId } from '#api/http/request/request-id.ts';
import { requestState } from '#api/http/request/request-state.ts';
import { fingerprintUpload } from '#api/http/multipart/upload-fingerprint.ts';
import { COMPRESS_LIMITS } from '#test/support/fixtures/compress-limits.ts';
import { listen } from '#api/server.ts';
import type { SpooledBlob } from '#domain/blob-store.ts';
import { createSilentLog } from '#observability/log.ts';
import type { Limits } from '#operations/services.ts';
import { uploadFormIssues } from '#operations/uploads/plan-upload.ts';
import { sha256OfFile } from '#stack/acquire/download-file.ts';
import { createReaderCatalogue } from '#providers/readers/reader-catalogue.ts';
import { createSpool } from '#store/blobs/spool.ts';

export const WORKSPACE_ID = '0198c0de-0000-7000-8000-00000000000a';
export const COLLECTION_ID = '0198c0de-0000-7000-8000-00000000000b';

const Item = z.object({
  index: z.int(),
  source: z.enum(['file', 'text', 'url']),
  name: z.string(),
  url: z.string().optional(),
  declaredType: z.string().nullable().optional(),
  blob: z.object({ sha256: z.string(), sizeBytes: z.number() }).optional(),
  head: z.string().optional(),
  own: z.object({ external_id: z.string().optional(), name: z.string().optional() }).optional(),
});

const ItemError = z.object({
  index: z.int(),
  name: z.string(),
  external_id: z.string().nullable(),
  source: z.string(),
  code: z.string(),
  message: z.string(),
});

const Problem = z.object({ loc: z.array(z.string()), msg: z.string(), type: z.string() });

export const Answer = z.object({
  form: z.record(z.string(), z.unknown()).optional(),
  items: z.array(Item).default([]),
  errors: z.array(ItemError).default([]),
  fingerprint: z.string().optional(),
  code: z.string().optional(),
  detail: z.union([z.string(), z.array(Problem)]).optional(),
});

/** Starts a server with the upload parser of the API on a real folder. It returns what it received. `keepsFiles`: of accepted requests. */
export async function startUploadReceiver(
  changed: Partial<Limits> = {},
  minimumRate?: MinimumRate,
  { parent = tmpdir(), keepsFiles = false }: { parent?: string; keepsFiles?: boolean } = {},
) {
  const usual = {
    maxFileBytes: 1_000_000,
    maxRequestBytes: 10_000_000,
    maxRequestItems: 20,
    maxCrawlPages: 1_000,
    compress: COMPRESS_LIMITS,
  };
  const limits: Limits = { ...usual, ...changed };
  const dir = await mkdtemp(join(parent, 'loci-upload-'));
  const spool = createSpool(join(dir, 'spool'));
  const spooled: SpooledBlob[] = [];
  const held = new Set<string>();
  const ended: (() => void)[] = [];
  const app = new Koa();
  app.use(assignRequestId).use(drainRequestBody).use(answerErrors(createSilentLog()));
  app.use(async (context) => {
    requestState(context).validationStatus = 400;
    try {
      await using files = new AsyncDisposableStack();
      const upload = await receiveUpload(context, {
        spool: async (bytes, maxBytes) => {
          const blob = files.use(await spool.write(bytes, maxBytes));
          spooled.push(blob);
          return blob;
        },
        limits,
        requireAccess: async () => {},
        ...(minimumRate === undefined ? {} : { minimumRate }),
        inspect: (form, counts) =>
          uploadFormIssues({ readers: createReaderCatalogue({ hasUnstructured: false }), limits }, form, counts),
      });
      const items = upload.items.map((item) =>
        'head' in item ? { ...item, head: Buffer.from(item.head ?? []).toString('base64') } : item,
      );
      for (const name of await readdir(join(dir, 'spool')).catch(() => [])) {
        held.add(await sha256OfFile(join(dir, 'spool', name)));
      }
      context.body = { ...upload, items, fingerprint: fingerprintUpload(upload) };
      if (keepsFiles) await moveAll(join(dir, 'spool'), join(dir, 'kept'));
    } finally {
      ended.shift()?.();
    }
  });
  const server = await listen(app.callback(), { host: '127.0.0.1', port: 0 });
  return {
    url: `http://127.0.0.1:${server.port}/upload`,
    port: server.port,
    /** The folder of the files. */
    dir,
    /** What was received completely. */
    spooled,
    /** The hashes of the files that were there when a request was answered. */
    held,
    /** Resolves when the next request has been handled, even if its client has disconnected. */
    nextEnd: () => new Promise<void>((resolve) => void ended.push(resolve)),
    temporaryFiles: async () => readdir(join(dir, 'spool')).catch(() => []),
    post: async (body: FormData) =>
      answerOf(await fetch(`http://127.0.0.1:${server.port}/upload`, { method: 'POST', body })),
    /** Sends bytes over a TCP connection. Returns the status and the parsed body. */
    raw: (pieces: readonly (string | Buffer)[]) => exchange(server.port, pieces),
    async [Symbol.asyncDispose]() {
      await server.close(1_000);
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** As the store does with accepted files. */
async function moveAll(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const name of await readdir(from)) await rename(join(from, name), join(to, name));
}

export type UploadReceiver = Awaited<ReturnType<typeof startUploadReceiver>>;

export async function answerOf(response: Response) {
  return { status: response.status, body: Answer.parse(await response.json()) };
}

async function exchange(port: number, pieces: readonly (string | Buffer)[]) {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.setEncoding('utf8').on('data', (text: string) => (received += text));
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  for (const piece of pieces) {
    // Each piece becomes a packet of its own, because the previous one has been flushed.
    await new Promise<void>((resolve) => socket.write(piece, () => resolve()));
  }
  await closed;
  const [head = '', body = ''] = received.split('\r\n\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
  return { status, body: Answer.parse(JSON.parse(body)) };
}

/** A multipart request as bytes, for requests that no client library would send. */
export function rawUpload(body: string | Buffer, options: { boundary?: string; contentType?: string } = {}): Buffer {
  const contentType = options.contentType ?? `multipart/form-data; boundary=${options.boundary ?? 'b'}`;
  const bytes = Buffer.from(body);
  const head = [
    'POST /upload HTTP/1.1',
    'Host: loci',
    'Connection: close',
    `Content-Type: ${contentType}`,
    `Content-Length: ${bytes.length}`,
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), bytes]);
}

/** One part of a raw body with boundary `b`. */
export function rawPart(disposition: string, content: string, ...headers: string[]): string {
  return `--b\r\n${[`Content-Disposition: form-data; ${disposition}`, ...headers].join('\r\n')}\r\n\r\n${content}\r\n`;
}

export const RAW_END = '--b--\r\n';
export const RAW_COLLECTION = rawPart('name="collection_id"', COLLECTION_ID);

/** A form for the collection with these entries. */
export function uploadForm(entries: readonly (readonly [string, string | File])[]): FormData {
  const form = new FormData();
  form.append('collection_id', COLLECTION_ID);
  for (const [name, value] of entries) form.append(name, value);
  return form;
}
