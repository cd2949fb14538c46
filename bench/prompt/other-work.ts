import { CreatedWorkspace } from '#domain/records/workspace.ts';
import type { BenchStack } from '#bench/bench-stack.ts';
import { sampleText } from '#bench/sample-texts.ts';
import { createServiceClient, type ServiceClient, type UploadFile } from '#bench/service-client.ts';
import { seconds, timed } from '#bench/statistics.ts';
import { createPromptClient } from './prompt-client.ts';

const BULK_BYTES = 200;
const FILES_PER_REQUEST = 1_000;
/** Contents that become ready before the texts are measured beside a receiver that does not answer. */
const DELIVERIES = 3_000;
/** Documents that take long to read: a deep one, and tables of megabytes. */
const DEEP_HTML = `<!doctype html><body>${'<b>x '.repeat(20_000)}`;
const LONG_HTML = `<!doctype html><body><table>${'<tr><td>one</td><td>two</td><td>three</td></tr>'.repeat(60_000)}</table>`;

/** Work that the service does while texts are measured. */
export type OtherWork = {
  /** False when nothing of it is left to do: what is measured then is an idle service. */
  isRunning(): boolean;
  /** Milliseconds from its start to its end. */
  elapsedMs: Promise<number>;
};

/** Uploads many small files; resolves when the first of them are accepted. */
export async function uploadBulk(client: ServiceClient, count: number): Promise<OtherWork> {
  const { id } = await client.createCollection('bulk');
  const files = Array.from({ length: count }, (_, number): UploadFile => ({
    name: `bulk-${number}.txt`,
    text: sampleText(number, BULK_BYTES),
  }));
  return uploadInRequests(client, id, files);
}

/** Uploads documents that take long to read; resolves when they are accepted. */
export async function uploadSlow(client: ServiceClient, count: number): Promise<OtherWork> {
  const { id } = await client.createCollection('slow');
  const files = Array.from({ length: count }, (_, number): UploadFile => ({
    name: `slow-${number}.html`,
    text: `${number % 2 === 0 ? DEEP_HTML : LONG_HTML}${number}`,
  }));
  return uploadInRequests(client, id, files);
}

async function uploadInRequests(client: ServiceClient, id: string, files: readonly UploadFile[]): Promise<OtherWork> {
  const accepted = Promise.withResolvers<void>();
  let isRunning = true;
  const all = async () => {
    const uploads: string[] = [];
    for (let start = 0; start < files.length; start += FILES_PER_REQUEST) {
      const answer = await client.upload(id, files.slice(start, start + FILES_PER_REQUEST));
      if (answer.upload_id !== null) uploads.push(answer.upload_id);
      accepted.resolve();
    }
    for (const upload of uploads) await client.settled(upload);
  };
  const working = timed(all).finally(() => (isRunning = false));
  working.catch((error: unknown) => accepted.reject(error));
  await accepted.promise;
  return { isRunning: () => isRunning, elapsedMs: working.then(({ elapsedMs }) => elapsedMs) };
}

/** Creates two webhooks on `content.ready` at a port where nobody listens, and lets contents become ready. */
export async function announceToNobody(stack: BenchStack): Promise<OtherWork> {
  const client = createPromptClient(addressOf(stack), stack.apiKey);
  for (const path of ['one', 'two']) await client.createWebhook(`http://127.0.0.1:9/${path}`, ['content.ready']);
  const bulk = await uploadBulk(stack.client, DELIVERIES);
  const elapsedMs = await bulk.elapsedMs;
  console.log(`${DELIVERIES} contents announced to two dead receivers became ready in ${seconds(elapsedMs)}`);
  // The deliveries wait for days.
  return { isRunning: () => true, elapsedMs: Promise.resolve(elapsedMs) };
}

/** A client of a workspace of its own. */
export async function otherWorkspace(stack: BenchStack): Promise<ServiceClient> {
  const baseUrl = addressOf(stack);
  const response = await fetch(`${baseUrl}/api/v1/workspaces`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${stack.servers.environment['LOCI_ADMIN_TOKEN'] ?? ''}`,
      'Content-Type': 'application/json',
    },
    body: JSON.stringify({ name: 'another workspace' }),
  });
  const { api_key: key } = CreatedWorkspace.parse(await response.json());
  return createServiceClient(baseUrl, key.secret ?? '');
}

export function addressOf({ servers }: BenchStack): string {
  return `http://127.0.0.1:${servers.ports.api}`;
}
