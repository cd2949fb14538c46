import { randomUUID } from 'node:crypto';
import test from 'ava';
import { AppError } from '#domain/app-error.ts';
import type { ChatModel } from '#domain/chat-model.ts';
import { MEMORY_EXTRACTION } from '#domain/memories/memory-ids.ts';
import type { Services } from '#operations/services.ts';
import { byTopic, index, isComparison, openOwnConversations, scripted } from './own-conversations.ts';

test('a fact is compared with every fact that other conversations store during its comparison, however many', async (t) => {
  const { services, chat, callerOf, say, current, compared } = await openOwnConversations(t, scripted(byTopic));
  await (
    await say('drink: Prefers tea.')
  )();
  const extract = await say('home: Lives in Oslo.');
  const store = (texts: readonly string[]) =>
    services.stores.memories.insert(
      callerOf('ada').scope,
      texts.map((memory) => ({
        id: randomUUID(),
        objectId: randomUUID(),
        userId: 'ada',
        memoryType: 'user' as const,
        memory,
        topics: [],
        metadata: {},
        createdBy: MEMORY_EXTRACTION,
        statedAt: new Date(),
      })),
      { leaseMs: 0, dueMs: 0 },
    );
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
