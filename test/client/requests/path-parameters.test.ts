import test from 'ava';
import { createBrowserClient } from '../../../client/src/create-browser-client.ts';
import { createLociClient } from '../../../client/src/create-loci-client.ts';
import { LociError } from '../../../client/src/loci-error.ts';

test('a path parameter that would lead to another path is refused, and nothing is sent', async (t) => {
  const sent: string[] = [];
  const loci = createLociClient({
    baseUrl: 'http://127.0.0.1:1',
    apiKey: 'x',
    fetch: async (input) => {
      if (input instanceof Request) sent.push(`${input.method} ${input.url}`);
      return new Response(null, { status: 204 });
    },
  });
  const { api: inBrowser } = createBrowserClient({ baseUrl: 'http://127.0.0.1:1', retries: 0 });
  for (const id of ['', '.', '..']) {
    const params = { path: { memory_id: id } };
    for (const api of [loci.api, inBrowser]) {
      const error = await t.throwsAsync(api.DELETE('/api/v1/memories/{memory_id}', { params }), {
        instanceOf: LociError,
      });
      t.is(error.code, 'invalid_path_parameter');
      t.true(error.detail.startsWith(`"${id}" cannot be part of the path`), error.detail);
    }
    const path = { workspace_id: 'w', user_id: id };
    await t.throwsAsync(loci.api.DELETE('/api/v1/workspaces/{workspace_id}/members/{user_id}', { params: { path } }), {
      instanceOf: LociError,
    });
  }
  t.deepEqual(sent, []);
  const path = { workspace_id: 'w', user_id: '../ada?x#y' };
  await loci.api.DELETE('/api/v1/workspaces/{workspace_id}/members/{user_id}', { params: { path } });
  t.deepEqual(sent, ['DELETE http://127.0.0.1:1/api/v1/workspaces/w/members/..%2Fada%3Fx%23y']);
});

test('an address with a password is refused without repeating it', (t) => {
  for (const baseUrl of [
    'http://ada:hunter2@127.0.0.1:8700',
    'http:ada:hunter2@host',
    'http://ada:hunter2@host:port',
  ]) {
    const error = t.throws(() => createLociClient({ baseUrl, apiKey: 'x' }), { instanceOf: LociError });
    t.is(error?.code, 'not_configured');
    t.notRegex(`${error?.message}${String(error?.cause)}`, /hunter2|ada/);
  }
  t.notThrows(() => createLociClient({ baseUrl: 'http://127.0.0.1:8700/@scope', apiKey: 'x' }));
});
