import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import pLimit from 'p-limit';
import { Collection } from '#domain/records/collection.ts';
import { DeletionAccepted } from '#domain/records/deletion.ts';
import { Reembedding } from '#domain/records/reindexing.ts';
import { SEARCH_TYPES, SearchResponse } from '#domain/records/search.ts';
import { UploadResponse } from '#domain/records/upload.ts';
import { isSound, problemsOf, takeCensus } from '#test/support/harness/census.ts';
import { formFor } from '#test/support/harness/api-client.ts';
import { eventually, until } from '#test/support/harness/eventually.ts';
import { idsOf, longText } from '#test/support/harness/flow.ts';
import { openOwnMachine, type OwnMachine } from '#test/flows/index/own-machine.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { findWorkspaceTenants, findRemainingTenants } from '#test/support/fixtures/workspace-traces.ts';

const { weaviate } = testStack().processes;

test.afterEach.always('Weaviate runs again', () => weaviate.start());

/** A text that a search for itself finds first, with any embedder. */
const noteOf = (number: number) => `The keeper of harbour ${number} counts ${number * 7919} crates and lamp${number}.`;

/** Searches of every type, one after the other, for contents that are there all the time. */
function startSearches({ api, collectionId }: OwnMachine, wanted: ReadonlyMap<number, string>) {
  const seen = { searches: 0, failed: [] as string[] };
  const state = { isOver: false };
  const search = async (number: number, id: string) => {
    const search_type = SEARCH_TYPES[seen.searches % SEARCH_TYPES.length];
    const json = { query: noteOf(number), collection_id: collectionId, search_type, max_results: 3 };
    seen.searches += 1;
    try {
      const { results } = await api.post('/collections/search', SearchResponse, { json });
      if (!results.some((hit) => hit.content_id === id)) seen.failed.push(`${search_type}: ${number} is missing`);
    } catch (error) {
      seen.failed.push(`${search_type}: ${String(error)}`);
    }
  };
  const running = (async () => {
    while (!state.isOver) for (const [number, id] of wanted) if (!state.isOver) await search(number, id);
  })();
  return {
    seen,
    stop: async () => {
      state.isOver = true;
      await running;
    },
  };
}

/** Uploads a few notes at a time, and deletes some of them, until it is stopped. */
function startChanges({ api, collectionId }: OwnMachine, first: number) {
  const [kept, deleted] = [new Map<number, string>(), new Map<number, string>()];
  const state = { isOver: false };
  const running = (async () => {
    for (let number = first; !state.isOver; number += 4) {
      const numbers = [number, number + 1, number + 2, number + 3];
      const form = formFor(
        collectionId,
        numbers.map((one) => ['content', noteOf(one)] as const),
      );
      const ids = idsOf(await api.post('/upload', UploadResponse, { body: form, status: 202 }));
      for (const [place, one] of numbers.entries()) kept.set(one, ids[place] ?? '');
      // Of this upload, in any stage, and of an earlier one, which may be published.
      for (const one of [number, number - 7]) {
        const id = kept.get(one);
        if (id === undefined) continue;
        await api.get(`/contents/${id}`, DeletionAccepted, { method: 'DELETE', status: 202 });
        kept.delete(one);
        deleted.set(one, id);
      }
      await sleep(250);
    }
  })();
  return {
    kept,
    deleted,
    stop: async () => {
      state.isOver = true;
      await running;
    },
  };
}

test.serial(
  'an embedder is changed under load while workers and the index are killed: no search fails, and nothing is lost or left over',
  async (t) => {
    t.timeout(480_000);
    const machine = await openOwnMachine(t);
    const { api, behind, collectionId, workspaceId, latency } = machine;
    const numbers = Array.from({ length: 60 }, (_, number) => number);
    const long = ['files', new File([longText(150)], 'long.txt')] as const;
    const notes = numbers.map((number) => ['content', noteOf(number)] as const);
    const ids = idsOf(await api.upload(collectionId, [...notes, long]));
    const there = new Map(numbers.map((number) => [number, ids[number] ?? '']));
    const before = await findWorkspaceTenants(behind, workspaceId);
    const changes = startChanges(machine, 1_000);
    const searches = startSearches(machine, there);
    latency.ms = 40;
    const { id } = await api.post(machine.path, Reembedding, { json: {}, status: 202 });
    await eventually('some chunks are written', async () => (await machine.read()).chunks > 0, { everyMs: 5 });
    // Without the index every search fails, so there is none meanwhile.
    await Promise.all([searches.stop(), changes.stop()]);
    await weaviate.signal('SIGKILL');
    const restarted = machine.killWorker();
    await weaviate.start();
    const [more, later] = [startChanges(machine, 100_000), startSearches(machine, there)];
    latency.ms = 0;
    await restarted;
    await eventually('searches use the new index', async () => (await machine.read()).switched_at, { everyMs: 5 });
    await more.stop();
    await machine.killWorker();
    await machine.endWait(id);
    await eventually('it is over', async () => (await machine.read()).status === 'completed');
    await later.stop();
    t.deepEqual([...searches.seen.failed, ...later.seen.failed], []);
    t.true(searches.seen.searches > 0 && later.seen.searches > 0);

    const census = await until(async () => {
      await behind.makeDue(workspaceId);
      return takeCensus(behind, workspaceId);
    }, isSound);
    t.deepEqual(problemsOf(census), []);
    t.deepEqual(await findRemainingTenants(behind, before), [], 'the old index is gone');
    t.is((await api.get(`/collections/${collectionId}`, Collection)).embedding.provider, 'openai');
    const find = async (number: number) => {
      const json = { query: noteOf(number), collection_id: collectionId, search_type: 'vector', max_results: 3 };
      return (await api.post('/collections/search', SearchResponse, { json })).results.map((hit) => hit.content_id);
    };
    const limit = pLimit(8);
    const checkAll = (kept: Iterable<[number, string]>, isWanted: boolean) =>
      Promise.all(
        [...kept].map(([number, contentId]) =>
          limit(async () => t.is((await find(number)).includes(contentId), isWanted, `note ${number}`)),
        ),
      );
    await checkAll([...there, ...changes.kept, ...more.kept], true);
    await checkAll([...changes.deleted, ...more.deleted], false);
    t.log(
      `${searches.seen.searches + later.seen.searches} searches, ${changes.kept.size + more.kept.size} uploads, ` +
        `${changes.deleted.size + more.deleted.size} deletions meanwhile`,
    );
  },
);
