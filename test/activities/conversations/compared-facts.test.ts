import { randomUUID } from 'node:crypto';
import test from 'ava';
import type { Scope } from '#domain/access/scope.ts';
import { AppError } from '#domain/app-error.ts';
import type { ChatModel } from '#domain/chat-model.ts';
import { MEMORY_EXTRACTION } from '#domain/memories/memory-ids.ts';
import { NewMessage } from '#domain/records/message.ts';
import { updateMemory } from '#operations/memories/update-memory.ts';
import type { Services } from '#operations/services.ts';
import { query } from '#store/postgres.ts';
import type { Stores } from '#store/stores.ts';
import { until } from '#test/support/harness/eventually.ts';
import { byTopic, index, isComparison, openOwnConversations, scripted } from './own-conversations.ts';

function insertExtracted({ memories }: Pick<Stores, 'memories'>, scope: Scope, texts: readonly string[]) {
  const extracted = texts.map((memory) => ({
    id: randomUUID(),
    objectId: randomUUID(),
    userId: 'ada',
    memoryType: 'user' as const,
    memory,
    topics: [],
    metadata: {},
    createdBy: MEMORY_EXTRACTION,
    statedAt: new Date(),
  }));
  return memories.insert(scope, extracted, { leaseMs: 0, dueMs: 0 });
}

test('a fact is compared with every fact that other conversations store during its comparison, however many', async (t) => {
  const { services, chat, callerOf, say, current, compared } = await openOwnConversations(t, scripted(byTopic));
  await (
    await say('drink: Prefers tea.')
  )();
  const extract = await say('home: Lives in Oslo.');
  const store = (texts: readonly string[]) => insertExtracted(services.stores, callerOf('ada').scope, texts);
  let comparisons = 0;
  const complete: ChatModel['complete'] = async (question, signal) => {
    const answer = await chat?.complete(question, signal);
    if (isComparison(question.material)) {
      comparisons += 1;
      if (comparisons === 1) {
        await store(['home: Lives in Rome.']);
        await store(Array.from({ length: 60 }, (_, number) => `boat ${number}: Owns it.`));
      }
    }
    return answer ?? '';
  };
  await extract(chat && { ...chat, name: chat.name, complete });
  t.is(comparisons, 3, 'twice with forty at most, after the first one');
  t.is(compared().filter((material) => material.includes('in Oslo') && material.includes('in Rome')).length, 1);
  t.deepEqual(
    (await current()).filter((memory) => memory.startsWith('home')),
    ['home: Lives in Rome.'],
    'the one that was said later',
  );
});

test('while the index is unavailable, the chat model is not asked; then a single failure of the model loses no facts', async (t) => {
  let isModelAway = false;
  const { services, say, list, current, requests } = await openOwnConversations(t, (...request) =>
    isModelAway ? { status: 500 } : scripted(byTopic)(...request),
  );
  const away: Services = {
    ...services,
    vectors: {
      ...services.vectors,
      search: () => Promise.reject(new AppError('dependency_unavailable', 'The index is away.')),
    },
  };
  await (
    await say('home: Lives in Oslo.')
  )(undefined, away);
  t.deepEqual(await current(), ['home: Lives in Oslo.'], 'a workspace without indexed memories needs no index');
  await index(services);
  const extract = await say('home: Lives in Rome.');
  const asked = requests.length;
  for (let attempt = 1; attempt <= 3; attempt += 1)
    await t.throwsAsync(extract(undefined, away), { message: 'The index is away.' });
  t.is(requests.length, asked);
  isModelAway = true;
  await t.throwsAsync(extract(), { message: /chat model server/ });
  isModelAway = false;
  await extract();
  const [old, now, ...others] = await list(true);
  t.deepEqual([old?.superseded_by, now?.memory, others], [now?.memory_id ?? '', 'home: Lives in Rome.', []]);
});

test('a fact is compared with one that another extraction inserted before and commits after the comparison began', async (t) => {
  const { services, database, callerOf, say, current } = await openOwnConversations(t, scripted(byTopic));
  const { scope } = callerOf('ada');
  const extract = await say('home: Lives in Oslo.');
  let extraction: Promise<unknown> = Promise.resolve();
  await services.stores.transaction(async (stores) => {
    await stores.memorySupersessions.lockUser(scope, 'ada');
    await insertExtracted(stores, scope, ['home: Lives in Rome.']);
    extraction = extract();
    await until(
      () =>
        query(database, `select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`),
      (waiting) => waiting.length === 1,
    );
  });
  await extraction;
  t.deepEqual(await current(), ['home: Lives in Rome.']);
});

test('a memory that its owner changed during the comparison supersedes no fact; another one that contradicts it still does', async (t) => {
  const { services, chat, callerOf, say, list, current } = await openOwnConversations(t, scripted(byTopic));
  const extract = async (content: string, created_at: string, model = chat) =>
    (await say(NewMessage.parse({ content, created_at })))(model);
  /** A model during whose answer the owner changes the memory that was created last. */
  const whileLastChanges = (to: string): ChatModel | null => {
    const complete: ChatModel['complete'] = async (question, signal) => {
      const memoryId = (await list(false)).at(-1)?.memory_id ?? '';
      if (isComparison(question.material))
        await updateMemory(services, callerOf('ada'), { memoryId, body: { memory: to }, idempotency: null });
      return (await chat?.complete(question, signal)) ?? '';
    };
    return chat && { ...chat, name: chat.name, complete };
  };
  await extract('home: Lives in Rome.', '2026-03-01T00:00:00Z');
  await extract('home: Lived in Oslo.', '2026-01-01T00:00:00Z', whileLastChanges('job: Works in Rome.'));
  t.deepEqual(await current(), ['job: Works in Rome.', 'home: Lived in Oslo.']);

  await extract('pet: Has no cat.', '2026-03-01T00:00:00Z');
  await extract('boat: Owns it.', '2026-03-01T00:00:00Z');
  const both = JSON.stringify([{ fact: 1, memories: [1, 2] }]);
  const changed = whileLastChanges('boat: Owns two.');
  await extract(
    'pet: Has a cat and no boat.',
    '2026-01-01T00:00:00Z',
    changed && {
      ...changed,
      name: changed.name,
      complete: async (question, signal) => {
        const answer = await changed.complete(question, signal);
        return isComparison(question.material) ? both : answer;
      },
    },
  );
  t.deepEqual(await current(), ['job: Works in Rome.', 'home: Lived in Oslo.', 'pet: Has no cat.', 'boat: Owns two.']);
});

test('a fact that the embedder rejects is stored and compared like others, and those of later messages follow', async (t) => {
  const { services, chat, say, current, list } = await openOwnConversations(t, scripted(byTopic));
  const { preferred } = services.embedders;
  const embed: typeof preferred.embed = async (texts, kind, options) => {
    if (texts.some((text) => text.includes('Rome'))) throw new AppError('embedding_rejected', 'It is too long.');
    return preferred.embed(texts, kind, options);
  };
  const embedders = { ...services.embedders, forSpace: () => ({ ...preferred, embed }) };
  await (
    await say('home: Lives in Oslo.')
  )();
  await index(services);
  await (
    await say('home: Lives in Rome.')
  )(chat, { ...services, embedders });
  await (
    await say('pet: Has a cat.')
  )(chat, { ...services, embedders });
  t.deepEqual(await current(), ['home: Lives in Rome.', 'pet: Has a cat.']);
  t.is((await list(true)).length, 3);
});
