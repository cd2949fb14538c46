import test from 'ava';
import { z } from 'zod';
import { freshClient } from '#test/support/harness/api-client.ts';
import { guardedRoutes, requestIn, sendRequest } from '#test/api/access/matrix-requests.ts';
import { createWorld } from '#test/api/access/matrix-world.ts';
import { testStack } from '#test/support/harness/stack.ts';

const Problems = z.object({
  detail: z.array(z.object({ loc: z.array(z.string()), msg: z.string(), type: z.string() })),
});

test('a query parameter that an operation does not have is refused on every route', async (t) => {
  const world = await createWorld();
  const operator = { Authorization: `Bearer ${testStack().adminToken}` };
  const wrong: string[] = [];
  for (const one of guardedRoutes) {
    const { path, sent } = await requestIn(world, one);
    const asked = { path: `${path}${path.includes('?') ? '&' : '?'}metadata.lang=en`, sent };
    const credentials = one.fixture.administrator === true ? operator : world.client.key;
    const { status, text } = await sendRequest(credentials, asked);
    const problems = Problems.safeParse(JSON.parse(text)).data?.detail ?? [];
    const isNamed = problems.some(
      ({ loc, type }) => `${loc.join('.')} ${type}` === 'query.metadata.lang unrecognized_keys',
    );
    if (status !== (one.route.validationStatus ?? 422) || !isNamed) wrong.push(`${one.name}: ${status} ${text}`);
  }
  t.deepEqual(wrong, []);
});

test('the answer to an unknown query parameter names those that there are', async (t) => {
  const api = await freshClient();
  const { body } = await api.fail('/contents?metadata.lang=en');
  t.regex(
    JSON.stringify(body.detail),
    /Unknown query parameter; this operation takes collection_id, status, .*limit, cursor/,
  );
  const none = await api.fail('/collections/search?q=x', { method: 'POST', json: {} });
  t.regex(JSON.stringify(none.body.detail), /this operation takes none/);
});

test('a query parameter that was sent twice is reported as such, whatever its type', async (t) => {
  const api = await freshClient();
  const { status, body } = await api.fail('/contents?status=ready&status=failed&limit=1&limit=2&cursor=a&cursor=b');
  t.is(status, 422);
  const { detail } = Problems.parse(body);
  const problems = detail.map(({ loc, msg, type }) => `${loc[1]}: ${msg} (${type})`);
  const repeated = ['cursor', 'limit', 'status'].map((name) => `${name}: Sent more than once: send it once (repeated)`);
  t.deepEqual(problems.toSorted(), repeated);
});
