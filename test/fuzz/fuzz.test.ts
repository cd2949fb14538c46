import test from 'ava';
import * as fc from 'fast-check';
import pLimit from 'p-limit';
import { z } from 'zod';
import { ChunkPage } from '#domain/records/chunk.ts';
import { apiClient, freshClient, type ApiClient } from '#test/support/harness/api-client.ts';
import { TEST_SEED } from '#test/support/harness/test-seed.ts';
import { readApiDocument, type Operation } from './api-document.ts';
import { createKnownIds } from './known-ids.ts';
import { PREPARED_OPERATIONS, prepareOperations } from './prepared-operations.ts';
import { requestFor, type FuzzRequest } from './request-arbitrary.ts';

/** The number of requests over all operations; longer campaigns set it by environment variable. */
const REQUESTS = Number(process.env['LOCI_TEST_FUZZ_REQUESTS'] ?? 3_000);
const ROUNDS = 5;
const CONCURRENCY = 6;

test('random requests to every operation get a documented response and never a server error', async (t) => {
  t.timeout(3_600_000);
  t.log(`seed ${TEST_SEED}`);
  const client = await freshClient();
  const whole = apiClient(client.key, '');
  const api = readApiDocument();
  const ids = createKnownIds();
  for (const [field, word] of [...WORDS, ['workspace_id', client.workspaceId] as const]) ids.learn(field, word);
  await seed(client, ids);
  const { operations } = api;
  const prepared = await prepareOperations(t, { client, whole, ids });
  const counts = new Map<number, number>();
  const succeeded = new Set<string>();
  const campaign = async (operation: Operation, round: number) => {
    const own = prepared.idsOf(operation.id);
    const requests = requestFor(operation, { ...api, ids: own });
    const details = await fc.check(
      fc.asyncProperty(requests, async (request) => {
        const { status, mediaType, body } = await perform(prepared.clientOf(operation.id), operation, request);
        counts.set(status, (counts.get(status) ?? 0) + 1);
        if (status < 300) succeeded.add(operation.id);
        const problem = problemOf(operation, { status, mediaType, body });
        if (problem !== null) throw new Error(`${operation.id} answered ${status} ${problem}`);
        if (operation.method !== 'GET' && status < 300) own.learnFrom(nounOf(operation), body);
      }),
      { numRuns: Math.ceil(REQUESTS / ROUNDS / operations.length), seed: TEST_SEED + round },
    );
    if (!details.failed) return [];
    const reason = details.errorInstance instanceof Error ? details.errorInstance.message : 'it was interrupted';
    return [`${reason}\n${JSON.stringify(details.counterexample)}`];
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    // Earlier rounds have deleted or archived many of the resources.
    await seed(client, ids);
    await prepared.refill();
    const problems = await pLimit(CONCURRENCY).map(operations, async (operation) => campaign(operation, round));
    t.deepEqual(problems.flat(), []);
  }
  const made = [...counts.values()].reduce((sum, count) => sum + count, 0);
  t.true(made >= REQUESTS);
  // A campaign in which almost all requests are rejected would prove little.
  const accepted = [...counts].reduce((sum, [status, count]) => sum + (status < 300 ? count : 0), 0);
  t.true(accepted > made / 5, `only ${accepted} of ${made} were accepted`);
  const refused = operations.map(({ id }) => id).filter((id) => !succeeded.has(id));
  t.log(`never accepted: ${refused.join(', ') || 'none'}`);
  t.true(refused.length < operations.length / 4, `${refused.length}`);
  t.deepEqual(
    PREPARED_OPERATIONS.filter((id) => refused.includes(id)),
    [],
  );
  t.log(
    `${made} requests: ${[...counts]
      .toSorted(([one], [other]) => one - other)
      .map(([status, count]) => `${status} ${count}`)
      .join(', ')}`,
  );
});

/** Resources that are created for the requests to refer to, in addition to those that the requests create. */
const SEEDS: readonly (readonly [path: string, field: string, json: object])[] = [
  ['/memories', 'memory_id', { user_id: 'ann', memory: 'Likes herons.' }],
  ['/conversations', 'conversation_id', { title: 'About herons' }],
  ['/messages', 'message_id', { content: 'Where do herons sleep?' }],
  ['/connections', 'connection_id', { integration: 'drive', integration_type: 'storage', label: 'a drive' }],
  // Nothing listens at this address.
  ['/webhooks', 'webhook_id', { url: 'http://127.99.0.1:9/hook' }],
  ['/api-keys', 'api_key_id', { label: 'a key', permissions: ['collections:read'] }],
];
/** Valid values of fields that are not ids and that no schema lists. */
const WORDS = [
  ['user_id', 'ann'],
  ['permissions', 'collections:read'],
  ['permissions', 'memories:write'],
  ['provider_id', 'openai'],
] as const;
const Made = z.looseObject({ id: z.string().optional(), memory_id: z.string().optional() });

async function seed(client: ApiClient, { learn }: ReturnType<typeof createKnownIds>): Promise<void> {
  const { id } = await client.createCollection('to be named');
  learn('collection_id', id);
  const { uploads, upload_id } = await client.upload(id, [
    ['content', 'One text to be found.'],
    ['metadata', '{"lang":"en"}'],
  ]);
  for (const { content_id } of uploads) learn('content_id', content_id);
  if (upload_id) learn('upload_id', upload_id);
  const { chunks } = await client.get(`/chunks?collection_id=${id}`, ChunkPage);
  for (const chunk of chunks) learn('chunk_id', chunk.id);
  for (const [path, field, json] of SEEDS) {
    const [made] = await client.post(path, z.union([z.array(Made), Made.transform((one) => [one])]), {
      json,
      status: 201,
    });
    learn(field, made?.memory_id ?? made?.id ?? '');
  }
}

async function perform(client: ApiClient, operation: Operation, { path, headers, body }: FuzzRequest) {
  const form = body.kind === 'form' ? new FormData() : null;
  if (body.kind === 'form') for (const [name, value] of body.fields) form?.append(name, value);
  const response = await client.send(path, {
    method: operation.method,
    headers,
    body: form ?? (body.kind === 'text' ? body.text : null),
  });
  const text = await response.text();
  const [mediaType = ''] = (response.headers.get('Content-Type') ?? '').split(';');
  return {
    status: response.status,
    mediaType,
    body: mediaType === 'application/json' ? (JSON.parse(text) as unknown) : text,
  };
}

type Response = { status: number; mediaType: string; body: unknown };

function problemOf(operation: Operation, { status, mediaType, body }: Response): string | null {
  if (status >= 500) return `with ${JSON.stringify(body)}`;
  if (!operation.isDeclared(status)) return `, which is not declared, with ${JSON.stringify(body).slice(0, 500)}`;
  const problem = operation.problemOf(status, mediaType, body);
  return problem === null ? null : `in another shape than declared: ${problem}`;
}

/** `/api-keys/{id}/rotate` → `api_key`. */
function nounOf({ path }: Operation): string {
  // Its response is the delivery.
  if (path.endsWith('/test')) return 'delivery';
  const noun = path.split('/').at(3)?.replaceAll('-', '_') ?? '';
  return noun === 'memories' ? 'memory' : noun.replace(/s$/, '');
}
