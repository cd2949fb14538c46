import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import test from 'ava';
import { z } from 'zod';
import { until } from '#test/support/harness/eventually.ts';
import { startSecondProcess } from '#test/support/harness/second-process.ts';
import { testStack } from '#test/support/harness/stack.ts';

const Readiness = z.object({ status: z.string(), dependencies: z.object({ postgres: z.object({ ok: z.boolean() }) }) });

test('a process that is told to stop says so first, and answers everything until it closes', async (t) => {
  const stack = testStack();
  const environment = { LOCI_SHUTDOWN_DELAY_S: '3' };
  const api = await startSecondProcess(stack, { kind: 'api', name: 'api-stopping', environment });
  const readiness = async () => {
    const response = await fetch(`${api.url}/readyz`);
    return { response, body: Readiness.parse(await response.json()) };
  };
  t.is((await readiness()).response.status, 200);

  const headers = { 'X-API-Key': stack.apiKey, 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' };
  const open = request(`${api.url}/api/v1/collections`, { method: 'POST', headers });
  open.write('{"name":');
  const answered = once(open, 'response') as Promise<[IncomingMessage]>;
  const stopped = api.stop();
  const { response, body } = await until(readiness, (last) => last.response.status === 503);
  t.is(body.status, 'stopping');
  t.true(body.dependencies.postgres.ok);
  t.is(response.headers.get('Connection'), 'close');

  const late = await fetch(`${api.url}/api/v1/collections`, { headers: { 'X-API-Key': stack.apiKey } });
  t.is(late.status, 200);
  t.is(late.headers.get('Connection'), 'close');
  open.end('"a collection"}');
  const [answer] = await answered;
  t.is(answer.statusCode, 201, await text(answer));
  t.is(await stopped, 0);
  await t.throwsAsync(fetch(`${api.url}/readyz`));
});
