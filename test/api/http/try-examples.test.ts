import test from 'ava';
import { operationExamples } from '#api/examples/operation-examples.ts';
import { fullPath } from '#api/http/mount.ts';
import { routes } from '#api/routes/index.ts';
import { freshClient } from '#test/support/harness/api-client.ts';

/** Operations whose examples name something that has to exist first. */
const NAMES_SOMETHING = new Set([
  'createChunks',
  'searchCollection',
  'explainSearch',
  'createAnswer',
  'createChatCompletion',
  'createWorkspace',
  'signIn',
]);

test('the example of every request that names nothing else works as it stands', async (t) => {
  const api = await freshClient();
  const tried: string[] = [];
  for (const [id, { body }] of Object.entries(operationExamples)) {
    const route = routes[id];
    if (route === undefined || body === undefined || NAMES_SOMETHING.has(id) || route.path.includes('{')) continue;
    const path = fullPath(route).replace('/api/v1', '');
    const response = await api.send(path, { method: route.method.toUpperCase(), json: body });
    t.is(response.status, route.status ?? 200, `${id}: ${await response.text()}`);
    tried.push(id);
  }
  t.true(tried.length >= 9, tried.join(' '));
});
