import test, { type ExecutionContext } from 'ava';
import type { Caller } from '#domain/access/caller.ts';
import { FOLLOWED_HITS } from '#domain/memories/lift-followers.ts';
import { CreateMemoryRequest, type RetrievalMethod } from '#domain/records/memory.ts';
import { createMemories } from '#operations/memories/create-memories.ts';
import { searchMemories } from '#operations/memories/search-memories.ts';
import { query } from '#store/postgres.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';

async function openMemories(t: ExecutionContext) {
  const { services, database } = await openOwnServices(t, { temporal: 'away' });
  const workspaceId = await services.stores.system.insertWorkspace('turns');
  const caller: Caller = {
    scope: { workspaceId, collectionIds: null },
    apiKeyId: null,
    userId: null,
    permissions: ['*'],
    principal: 'a key',
    workspaceIds: [workspaceId],
  };
  const remember = async (turns: readonly (readonly [string, string])[]) => {
    const items = turns.map(([user_id, memory]) => ({ body: CreateMemoryRequest.parse({ user_id, memory }) }));
    t.true((await createMemories(services, caller, { items, idempotency: null })).isIndexed);
  };
  const search = async (text: string, retrieval_method: RetrievalMethod, limit = 10) => {
    const { memories, retrieval_details: details } = await searchMemories(services, caller, {
      query: text,
      retrieval_method,
      limit,
    });
    return { texts: memories.map(({ memory }) => memory), steps: details.steps };
  };
  return { database, remember, search };
}

const NOISE = Array.from({ length: 60 }, (_, number) => `The shelf ${number} holds jar ${number * 7}.`);

test('a hybrid search finds the turn that answers a matching one, of the same user and within the hour', async (t) => {
  const { database, remember, search } = await openMemories(t);
  // Fewer than `FOLLOWED_HITS`: the answer has no word of the question, so chance places it among the others.
  const [before, after] = [NOISE.slice(0, 20), NOISE.slice(20, FOLLOWED_HITS - 5)];
  await remember([
    ...before.map((text) => ['ada', text] as const),
    ['ada', 'Where do you travel in September?'],
    ['bob', 'No idea.'],
    ['ada', 'To the Azores, with Petra.'],
    ...after.map((text) => ['ada', text] as const),
  ]);
  const found = await search('travel in September', 'hybrid');
  t.deepEqual(found.texts.slice(0, 2), ['Where do you travel in September?', 'To the Azores, with Petra.']);
  t.deepEqual((await search('travel in September', 'hybrid', 2)).texts, found.texts.slice(0, 2));
  await query(
    database,
    `update memories m set created_at = created_at + interval '2 hours' from memory_versions v
     where v.memory_id = m.id and v.memory = 'To the Azores, with Petra.'`,
  );
  t.not((await search('travel in September', 'hybrid')).texts[1], 'To the Azores, with Petra.');
});

test('without a chat model, agentic searches order the first hits of longer queries, and find the same', async (t) => {
  const { remember, search } = await openMemories(t);
  const long = 'shelf with jars of pickled plums, roasted pepper, dried mushrooms and honey';
  await remember(NOISE.map((text, place) => ['ada', `${text} ${long.split(' ')[place % 12] ?? ''}`] as const));
  for (const type of ['keyword', 'vector'] as const) {
    const [plain, agentic] = [await search(long, type, 30), await search(long, `agentic_${type}`, 30)];
    t.deepEqual(agentic.steps, [type, 'similar_hits']);
    t.deepEqual(agentic.texts.toSorted(), plain.texts.toSorted());
    t.notDeepEqual(agentic.texts, plain.texts);
    t.deepEqual((await search(long, `agentic_${type}`, 5)).texts, agentic.texts.slice(0, 5));
    const short = 'honey shelf';
    t.deepEqual(await search(short, `agentic_${type}`), { ...(await search(short, type)), steps: [type] });
  }
  t.deepEqual(await search(long, 'agentic'), await search(long, 'hybrid'));
});
