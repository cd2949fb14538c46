import test from 'ava';
import { SEARCH_TYPES } from '#domain/records/search.ts';
import { formFor } from '#test/support/harness/api-client.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { idsOf, startFlow, type Flow } from '#test/support/harness/flow.ts';
import { testStack } from '#test/support/harness/stack.ts';

const { processes, baseUrl } = testStack();

test.afterEach.always('everything runs again', async () => {
  for (const name of ['postgres', 'temporal', 'weaviate', 'api', 'worker'] as const) await processes[name].start();
});

const ready = (flow: Flow, id: string) =>
  eventually(`content ${id} is ready`, async () => (await flow.content(id)).status === 'ready');

test.serial(
  'while Temporal is unavailable, uploads are accepted at once, search works, and ingestion follows later',
  async (t) => {
    const flow = await startFlow();
    await flow.upload(['content', 'A heron waits at the weir.']);
    await processes.temporal.signal('SIGKILL');
    const startedMs = performance.now();
    const [id] = idsOf(await flow.send(['content', 'An otter sleeps under the bridge.']));
    t.true(performance.now() - startedMs < 10_000, 'the response does not wait for Temporal');
    t.is((await flow.content(id)).status, 'pending');
    for (const type of SEARCH_TYPES) t.is((await flow.search('heron weir', { search_type: type })).length, 1);
    t.is((await fetch(`${baseUrl}/readyz`)).status, 200);

    await processes.temporal.start();
    await ready(flow, id);
    t.like((await flow.search('otter under the bridge'))[0], { content_id: id });
  },
);

test.serial(
  'while Weaviate is unavailable, search answers 503, and an upload waits, shows the reason, and continues by itself',
  async (t) => {
    const flow = await startFlow();
    const [before] = idsOf(await flow.upload(['content', 'The quarry flooded in spring.']));
    await processes.weaviate.signal('SIGKILL');
    for (const type of SEARCH_TYPES) {
      const json = { query: 'quarry', collection_id: flow.collectionId, search_type: type };
      const answer = await flow.api.fail('/collections/search', { method: 'POST', json });
      t.is(answer.status, 503, type);
      t.is(answer.code, 'dependency_unavailable');
      t.true(Number(answer.headers.get('Retry-After')) > 0);
    }
    const [id] = idsOf(await flow.send(['content', 'The ferry stopped in autumn.']));
    const waiting = await eventually('the content shows what it waits for', async () => {
      const content = await flow.content(id);
      return content.status_message === null ? null : content;
    });
    t.like(waiting, { status: 'indexing' });
    t.regex(waiting.status_message ?? '', /search index .*goes on by itself/i);

    await processes.weaviate.start();
    await ready(flow, id);
    t.is((await flow.content(id)).status_message, null);
    for (const type of SEARCH_TYPES) {
      t.like((await flow.search('ferry autumn', { search_type: type }))[0], { content_id: id }, type);
      const [found] = await flow.search('quarry flooded', { search_type: type });
      t.is(found?.content_id, before, `earlier contents are found by ${type}`);
    }
  },
);

test.serial(
  'while Postgres is unavailable, every request answers 503, and running work continues afterwards',
  async (t) => {
    const flow = await startFlow();
    const [published] = idsOf(await flow.upload(['content', 'The bell rings at noon.']));
    await processes.worker.signal('SIGSTOP');
    const [id] = idsOf(await flow.send(['content', 'The choir sings at dusk.']));
    await processes.postgres.signal('SIGKILL');
    await processes.worker.signal('SIGCONT');
    const json = { query: 'bell', collection_id: flow.collectionId };
    for (const [path, sent] of [
      ['/collections/search', { method: 'POST', json }],
      [`/contents/${published}`, {}],
      ['/contents', {}],
      [`/contents/${published}`, { method: 'DELETE' }],
      ['/upload', { method: 'POST', body: formFor(flow.collectionId, [['content', 'x']]) }],
    ] as const) {
      const answer = await flow.api.fail(path, sent);
      t.is(answer.status, 503, path);
      t.is(answer.code, 'dependency_unavailable', path);
      t.true(Number(answer.headers.get('Retry-After')) > 0, path);
    }
    t.is((await fetch(`${baseUrl}/readyz`)).status, 503);
    t.is((await fetch(`${baseUrl}/livez`)).status, 200);

    await processes.postgres.start();
    await ready(flow, id);
    t.like((await flow.search('choir at dusk'))[0], { content_id: id });
  },
);

test.serial(
  'work acknowledged while Temporal was unavailable is started later, even after a restart of the API',
  async (t) => {
    const flow = await startFlow();
    await processes.worker.stop();
    await processes.temporal.signal('SIGKILL');
    const [id] = idsOf(await flow.send(['content', 'The ledger was kept in green ink.']));
    await processes.api.signal('SIGKILL');
    await processes.api.start();
    await processes.temporal.start();
    t.is((await flow.content(id)).status, 'pending');
    await processes.worker.start();
    await ready(flow, id);
    t.like((await flow.search('ledger green ink'))[0], { content_id: id });
  },
);
