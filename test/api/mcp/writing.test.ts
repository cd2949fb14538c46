import test from 'ava';
import { z } from 'zod';
import { MemoryList } from '#domain/records/memory.ts';
import { startFlow } from '#test/support/harness/flow.ts';
import { startSite } from '#test/support/servers/site-server.ts';
import { openMcpClient } from './mcp-client.ts';

const Uploaded = z.looseObject({ upload_id: z.string(), content_id: z.string(), status: z.string() });
const Contents = z.looseObject({ total_count: z.int() });
const Remembered = z.looseObject({ memory: z.looseObject({ memory_id: z.string() }) });

test('a call that is repeated with its idempotency key writes nothing again; another one with the key is refused', async (t) => {
  const site = await startSite({ '/page': '<p>Chalk is soft.</p>' });
  t.teardown(site.close);
  const flow = await startFlow();
  const mcp = await openMcpClient(t, { headers: { 'X-API-Key': flow.key } });
  const { collectionId: collection_id } = flow;
  const text = { collection_id, name: 'note', text: 'One.', idempotency_key: 'call-1' };
  const first = await mcp.call('add_text', Uploaded, text);
  t.deepEqual(await mcp.call('add_text', Uploaded, { ...text, wait_seconds: 1 }), first);
  t.like(await mcp.fail('add_text', { ...text, text: 'Two.' }), { code: 'idempotency_mismatch' });
  const url = { collection_id, url: `${site.origin}/page`, idempotency_key: 'call-2' };
  const page = await mcp.call('add_url', Uploaded, url);
  t.deepEqual(await mcp.call('add_url', Uploaded, url), page);
  t.is((await mcp.fail('add_url', { ...url, name: 'x' })).code, 'idempotency_mismatch');
  t.is((await mcp.call('list_contents', Contents)).total_count, 2);
  const memory = { user_id: 'ada', memory: 'Likes chalk.', idempotency_key: 'call-3' };
  const made = await mcp.call('add_memory', Remembered, memory);
  t.is((await mcp.call('add_memory', Remembered, memory)).memory.memory_id, made.memory.memory_id);
  t.is((await mcp.fail('add_memory', { ...memory, idempotency_key: 'call-1' })).code, 'idempotency_mismatch');
  const json = { user_id: 'ada', memory: 'x' };
  const headers = { 'Idempotency-Key': 'call-3' };
  t.is((await flow.api.fail('/memories', { method: 'POST', json, headers })).code, 'idempotency_mismatch');
  t.is((await flow.api.get('/memories?user_id=ada', MemoryList)).data.length, 1);
  const wrong = await mcp.fail('add_memory', { ...memory, idempotency_key: 'two words' });
  t.deepEqual(wrong.problems, ['arguments.idempotency_key invalid_format']);
});
