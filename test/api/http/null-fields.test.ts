import test from 'ava';
import { freshClient } from '#test/support/harness/api-client.ts';

test('requests that create and search take null for an absent field, and refuse it for a required one', async (t) => {
  const api = await freshClient();
  const { id } = await api.createCollection('c');
  const memory = { user_id: 'ada', memory: 'Ada sails.', topics: null, memory_type: null, metadata: null };
  const found = { query: 'sails', user_id: null, limit: null, as_of: null, rerank: null };
  const searched = { query: 'otters', filters: null, max_results: null, min_score: null, facets: null };
  const accepted: [string, unknown, number][] = [
    ['/collections', { name: 'd', tags: null, embedding: null, settings: null }, 201],
    ['/collections/search', { ...searched, collection_id: id, collection_ids: null }, 200],
    ['/answers', { query: 'otters', collection_ids: null, conversation_id: null, filters: null, stream: null }, 200],
    ['/conversations', { title: null, collections: null, meta_data: null }, 201],
    ['/messages', { conversation_id: null, content: [{ content: 'Hello.', created_at: null, tags: null }] }, 201],
    ['/memories', memory, 201],
    ['/memories/batch', { memories: [memory] }, 201],
    ['/memories/search', found, 200],
  ];
  for (const [path, json, status] of accepted) {
    const answer = await api.send(path, { method: 'POST', json });
    t.is(answer.status, status, `${path}: ${await answer.text()}`);
  }
  const refused: [string, unknown, string][] = [
    ['/collections/search', { query: null, collection_id: id }, 'body.query invalid_type'],
    ['/collections/search', { query: 'x', collection_id: null }, 'body.collection_id missing'],
    ['/messages', { content: { content: null } }, 'body.content.content invalid_type'],
  ];
  for (const [path, json, problem] of refused) {
    t.deepEqual((await api.fail(path, { method: 'POST', json })).problems, [problem], path);
  }
  const change = { method: 'PATCH', json: { name: null } };
  t.deepEqual((await api.fail(`/collections/${id}`, change)).problems, ['body.name invalid_type']);
});
