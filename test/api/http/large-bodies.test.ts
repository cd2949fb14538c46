import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { CreateMemoriesAnswer } from '#domain/memories/memory-batch.ts';
import { apiClient, freshClient } from '#test/support/harness/api-client.ts';
import { testStack } from '#test/support/harness/stack.ts';

const PATH = '/memories/batch';
const LARGE_BYTES = 2 * 1024 * 1024;

/** Begins to send a large body and stops. Resolves when the API has taken the request. */
async function sendSlowly(t: ExecutionContext, key: string): Promise<void> {
  const { hostname, port } = new URL(testStack().baseUrl);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  t.teardown(() => socket.destroy());
  const head = [
    `POST /api/v1${PATH} HTTP/1.1`,
    `Host: ${hostname}`,
    `X-API-Key: ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${LARGE_BYTES}`,
  ];
  await new Promise<void>((resolve) => socket.write(`${head.join('\r\n')}\r\n\r\n{"memories":[`, () => resolve()));
}

test('large bodies that one workspace sends slowly leave places to others', async (t) => {
  const [slow, other] = [await freshClient(), await freshClient()];
  for (let sent = 0; sent < 6; sent += 1) await sendSlowly(t, slow.key);
  // The API takes them in turn with other requests. Only if it needed longer would this test miss what it is about.
  await delay(500);
  t.is((await slow.send('/memories')).status, 200);
  // Nobody owns the others: they fail, and cost nothing but their bytes.
  const others = Array.from({ length: 499 }, () => ({ memory: 'grows leeks and dahlias, '.repeat(120) }));
  const memories = [{ user_id: 'ada', memory: 'Grows leeks.' }, ...others];
  const json = { memories };
  t.true(JSON.stringify(json).length > 1024 * 1024);
  const answer = await apiClient(other.key).post(PATH, CreateMemoriesAnswer, { json, status: 201 });
  t.deepEqual([answer.created, answer.failed], [1, 499]);
});
