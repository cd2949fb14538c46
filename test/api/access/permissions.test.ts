import test from 'ava';
import { testStack } from '#test/support/harness/stack.ts';
import { apiClient, createKey } from '#test/support/harness/api-client.ts';

test('an unauthorized caller gets 403 and no validation details', async (t) => {
  const { key } = await createKey({ workspaceId: testStack().workspaceId, permissions: [] });
  const client = apiClient(key);
  const headers = { 'Content-Type': 'text/plain' };
  t.is((await client.fail('/collections', { method: 'POST', body: 'nonsense', headers })).status, 403);
  t.is((await client.fail('/chunks?limit=nonsense')).status, 403);
  t.is((await client.fail('/upload', { method: 'POST', body: 'nonsense', headers })).status, 403);
});
