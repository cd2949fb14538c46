import test from 'ava';
import type { ChatModel } from '#domain/chat-model.ts';
import { CreateMemoryRequest } from '#domain/records/memory.ts';
import { NewMessage } from '#domain/records/message.ts';
import { createMemory } from '#operations/memories/create-memory.ts';
import { getMemory } from '#operations/memories/memories.ts';
import { updateMemory } from '#operations/memories/update-memory.ts';
import { byTopic, index, isComparison, openOwnConversations, scripted } from './own-conversations.ts';

test('a fact supersedes an older memory that it contradicts, which only its history, `as_of` and an option show', async (t) => {
  const { services, callerOf, say, list, current, find } = await openOwnConversations(t, scripted(byTopic));
  await (
    await say('home: Lives in Oslo.')
  )();
  await (
    await say('drink: Prefers tea.')
  )();
  await index(services);
  t.deepEqual(await find('home'), ['home: Lives in Oslo.']);
  await (
    await say('home: Lives in Rome.')
  )();
  t.deepEqual(await find('home'), [], 'the new one is not indexed yet, and the old one is not found any more');
  await index(services);

  t.deepEqual(await current(), ['drink: Prefers tea.', 'home: Lives in Rome.']);
  t.deepEqual(await find('home'), ['home: Lives in Rome.']);
  const [old, , now] = await list(true);
  t.is(old?.memory, 'home: Lives in Oslo.');
  t.is(old?.superseded_by, now?.memory_id);
  t.is(old?.superseded_at, now?.created_at);
  t.like(now, { memory: 'home: Lives in Rome.', superseded_by: null, superseded_at: null });
  const before = new Date(Date.parse(now?.created_at ?? '') - 1).toISOString();
  t.deepEqual(await find('home', before), ['home: Lives in Oslo.']);
  t.deepEqual(await find('home', now?.created_at), ['home: Lives in Rome.']);

  const ofId = { memoryId: old?.memory_id ?? '' };
  t.is((await getMemory(services, callerOf('ada'), ofId)).superseded_by, now?.memory_id ?? '');
  await updateMemory(services, callerOf('ada'), {
    ...ofId,
    body: { memory: 'home: Works in Oslo.' },
    idempotency: null,
  });
  t.like(await getMemory(services, callerOf('ada'), ofId), { superseded_by: null, version: 2 });
  t.deepEqual((await find('home')).toSorted(), ['home: Lives in Rome.', 'home: Works in Oslo.']);
});

test('of two contradicting facts, the one that was said later stays, whichever is extracted first', async (t) => {
  const { services, say, list, current, find } = await openOwnConversations(t, scripted(byTopic));
  const said = (content: string, created_at: string) => say(NewMessage.parse({ content, created_at }));
  await (
    await said('home: Lives in Rome.', '2026-03-01T00:00:00Z')
  )();
  await (
    await said('home: Lived in Oslo.', '2026-01-01T00:00:00Z')
  )();
  t.deepEqual(await current(), ['home: Lives in Rome.']);
  const [rome, oslo] = await list(true);
  t.is(oslo?.superseded_by, rome?.memory_id);
  await index(services);
  t.deepEqual(await find('home'), ['home: Lives in Rome.']);
  t.deepEqual(await find('home', oslo?.created_at), ['home: Lives in Rome.'], 'it was never valid');
  await (
    await said('home: Lives in Bern.', '2126-01-01T00:00:00Z')
  )();
  t.deepEqual(await current(), ['home: Lives in Bern.']);
  await (
    await said('home: Lives in Graz.', new Date().toISOString())
  )();
  t.deepEqual(await current(), ['home: Lives in Graz.'], 'nothing was said in the future');
});

test('of two contradicting facts that are extracted at the same time, one stays', async (t) => {
  const { chat, say, list, current, compared } = await openOwnConversations(t, scripted(byTopic));
  await (
    await say('drink: Prefers tea.')
  )();
  const extractions = [await say('home: Lives in Oslo.'), await say('home: Lives in Rome.')];
  // Both compare their fact with what was there before either stores it.
  const both = Promise.withResolvers<void>();
  let comparisons = 0;
  const complete: ChatModel['complete'] = async (question, signal) => {
    const answer = await chat?.complete(question, signal);
    if (isComparison(question.material)) {
      comparisons += 1;
      if (comparisons === 2) both.resolve();
      await both.promise;
    }
    return answer ?? '';
  };
  await Promise.all(extractions.map((extract) => extract(chat && { ...chat, name: chat.name, complete })));
  t.is(comparisons, 3, 'the second one to store its fact compared it with the first one');
  t.is(compared().filter((material) => material.includes('Lives in Oslo') && material.includes('in Rome')).length, 1);
  t.deepEqual(await current(), ['drink: Prefers tea.', 'home: Lives in Rome.'], 'the one that was said later');
  t.is((await list(true)).length, 3);
});

const NONSENSE: Record<string, (ids: readonly string[]) => string> = {
  'no list': () => 'They all contradict each other.',
  'numbers that were not shown': () => '[{"fact":1,"memories":[0,-1,99,1.5]},{"fact":2,"memories":[1]}]',
  ids: (ids) => JSON.stringify([{ fact: 1, memories: ids }]),
  'another form': () => '[1,[2],"3",null,{"fact":"1","memories":1},{"memories":[1]}]',
  'an object': () => '{"fact":1,"memories":[1]}',
};

for (const [what, answer] of Object.entries(NONSENSE)) {
  test(`a chat model that answers with nonsense supersedes nothing: ${what}`, async (t) => {
    const ids: string[] = [];
    const { services, callerOf, say, list, current, compared } = await openOwnConversations(
      t,
      scripted(() => answer(ids)),
    );
    const idempotency = null;
    const secret = CreateMemoryRequest.parse({ memory: 'home: Bob lives in Bonn.' });
    const ofBob = await createMemory(services, callerOf('bob'), { body: secret, idempotency });
    const ofTeam = await createMemory(services, callerOf('ada'), {
      body: { ...secret, memory: 'home: The team is in Bonn.', memory_type: 'team' },
      idempotency,
    });
    await (
      await say('home: Lives in Oslo.')
    )();
    ids.push(ofBob.body.memory_id, ofTeam.body.memory_id, (await list(true))[0]?.memory_id ?? '');
    await (
      await say('home: Lives in Rome.')
    )();
    t.deepEqual(await current(), ['home: The team is in Bonn.', 'home: Lives in Oslo.', 'home: Lives in Rome.']);
    t.deepEqual(await current('bob'), ['home: Bob lives in Bonn.']);
    t.is(compared().length, 1);
    t.false(compared()[0]?.includes('Bonn'), 'only memories about the same user are shown');
  });
}

test('a chat model that calls everything contradictory supersedes at most five memories for a fact', async (t) => {
  const all = Array.from({ length: 40 }, (_, number) => number + 1);
  let shown = 5;
  const { say, current } = await openOwnConversations(
    t,
    scripted(() => JSON.stringify([{ fact: 1, memories: all.slice(0, shown) }])),
  );
  shown = 0;
  for (let number = 0; number < 6; number += 1) await (await say(`Owns the boat ${number}.`))();
  shown = 40;
  await (
    await say('Owns nothing.')
  )();
  t.is((await current()).length, 7);
  shown = 5;
  await (
    await say('Owns nothing at all.')
  )();
  t.is((await current()).length, 3);
});

test('an extraction that fails during the comparison leaves nothing, and repeating it stores everything once', async (t) => {
  let isAway = true;
  const { say, list } = await openOwnConversations(
    t,
    scripted((material) => (isAway ? { status: 500 } : byTopic(material))),
  );
  await (
    await say('home: Lives in Oslo.')
  )();
  const extract = await say('home: Lives in Rome.');
  await t.throwsAsync(extract(), { message: /chat model server/ });
  t.like(await list(true), { length: 1, 0: { superseded_by: null } });
  isAway = false;
  const counts = await Promise.all([extract(), extract(), extract()]);
  t.is(
    counts.reduce((sum, { memories }) => sum + memories, 0),
    1,
  );
  t.is((await extract()).memories, 0);
  const [old, now, ...others] = await list(true);
  t.deepEqual([old?.superseded_by, now?.superseded_by, others], [now?.memory_id ?? '', null, []]);
});
