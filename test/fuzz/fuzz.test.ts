import test from 'ava';
import fc from 'fast-check';
import pLimit from 'p-limit';
import { apiClient, freshClient, type ApiClient } from '../api/api-client.ts';
import { readApiDocument, type Operation } from './api-document.ts';
import { createKnownIds } from './known-ids.ts';
import { requestFor, type FuzzRequest } from './request-arbitrary.ts';

/** Requests of a run, over all operations; a longer campaign sets its own number. */
const REQUESTS = Number(process.env['LOCI_TEST_FUZZ_REQUESTS'] ?? 3_000);
const AT_ONCE = 6;
const SEED = Number(process.env['LOCI_TEST_FUZZ_SEED'] ?? Date.now() % 1_000_000);

test('whatever is sent to whichever operation, the answer is a declared one and no failure of the service', async (t) => {
  t.timeout(3_600_000);
  t.log(`seed ${SEED}`);
  const client = await freshClient();
  const whole = apiClient(client.key, '');
  const { operations, resolve } = readApiDocument();
  // What the campaign stands on is not for it to end.
  const ids = createKnownIds(new Set([client.workspaceId]));
  await seed(client, ids.learn);
  const counts = new Map<number, number>();
  const numRuns = Math.ceil(REQUESTS / operations.length);
  const campaign = async (operation: Operation) => {
    const details = await fc.check(
      fc.asyncProperty(requestFor(operation, { resolve, ids }), async (request) => {
        const { status, body } = await perform(whole, operation, request);
        counts.set(status, (counts.get(status) ?? 0) + 1);
        const problem = problemOf(operation, status, body);
        if (problem !== null) throw new Error(`${operation.id} answered ${status} ${problem}`);
        if (operation.method !== 'GET' && status < 300) ids.learnFrom(nounOf(operation), body);
      }),
      { numRuns, seed: SEED, interruptAfterTimeLimit: 600_000 },
    );
    if (!details.failed) return [];
    const reason = details.errorInstance instanceof Error ? details.errorInstance.message : 'it was interrupted';
    return [`${reason}\n${JSON.stringify(details.counterexample)}`];
  };
  t.deepEqual((await pLimit(AT_ONCE).map(operations, campaign)).flat(), []);
  const made = [...counts.values()].reduce((sum, count) => sum + count, 0);
  t.true(made >= REQUESTS);
  // A campaign of refusals would show little.
  const taken = [...counts].reduce((sum, [status, count]) => sum + (status < 300 ? count : 0), 0);
  t.true(taken > made / 5, `only ${taken} of ${made} were taken`);
  t.log(
    `${made} requests: ${[...counts]
      .toSorted()
      .map(([status, count]) => `${status} ${count}`)
      .join(', ')}`,
  );
});

/** Things to name from the start. */
async function seed(client: ApiClient, learn: (field: string, id: string) => void): Promise<void> {
  const { id } = await client.createCollection('to be named');
  learn('collection_id', id);
  const { uploads, upload_id } = await client.upload(id, [
    ['content', 'One text to be found.'],
    ['metadata', '{"lang":"en"}'],
  ]);
  for (const { content_id } of uploads) learn('content_id', content_id);
  if (upload_id) learn('upload_id', upload_id);
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
  const isJson = /^application\/json/.test(response.headers.get('Content-Type') ?? '');
  return { status: response.status, body: isJson ? (JSON.parse(text) as unknown) : text };
}

function problemOf(operation: Operation, status: number, body: unknown): string | null {
  if (status >= 500) return `with ${JSON.stringify(body)}`;
  if (!operation.isDeclared(status)) return `, which is not declared, with ${JSON.stringify(body).slice(0, 500)}`;
  const problem = operation.problemOf(status, body);
  return problem === null || problem === undefined ? null : `in another shape than declared: ${problem}`;
}

/** `/api-keys/{id}/rotate` → `api_key`. */
function nounOf({ path }: Operation): string {
  const noun = path.split('/').at(3)?.replaceAll('-', '_') ?? '';
  return noun === 'memories' ? 'memory' : noun.replace(/s$/, '');
}
