import test from 'ava';
import * as fc from 'fast-check';
import { freshClient } from '#test/support/harness/api-client.ts';
import { TEST_SEED } from '#test/support/harness/test-seed.ts';
import { collectionCommands, createCollection, listCollections } from './collection-commands.ts';
import { checkReceipts, contentCommands, listContents, uploadText } from './content-commands.ts';
import {
  conversationCommands,
  createConversation,
  createMessages,
  listConversations,
} from './conversation-commands.ts';
import { createKey, keyCommands, listKeys } from './key-commands.ts';
import { createMemory, listMemories, memoryCommands } from './memory-commands.ts';
import type { Step } from './model-command.ts';
import { emptyWorld } from './world.ts';

/** The number of sequences; longer campaigns set it by environment variable. */
const RUNS = Number(process.env['LOCI_TEST_MODEL_RUNS'] ?? 5);
const MAX_COMMANDS = 100;

test('random sequences of requests get the responses that the model predicts', async (t) => {
  t.timeout(3_600_000);
  t.log(`seed ${TEST_SEED}`);
  const counts = { sequences: 0, commands: 0 };
  const kinds = [collectionCommands, contentCommands, conversationCommands, memoryCommands, keyCommands];
  const sequences = fc.commands(kinds.flat(), { maxCommands: MAX_COMMANDS, size: 'max' });
  const details = await fc.check(
    fc.asyncProperty(sequences, async (commands) => {
      const step: Step = { world: emptyWorld(), api: await freshClient() };
      await seedWorld(step);
      await fc.asyncModelRun(() => ({ model: step.world, real: step.api }), commands);
      await compareAll(step);
      counts.sequences += 1;
      counts.commands += [...commands].length;
    }),
    // Limits the time for shrinking a failing sequence.
    { numRuns: RUNS, seed: TEST_SEED, includeErrorInReport: true, interruptAfterTimeLimit: 60_000 * Math.max(5, RUNS) },
  );
  t.log(`${counts.commands} commands in ${counts.sequences} sequences`);
  t.is(details.failed ? await fc.asyncDefaultReportMessage(details) : undefined, undefined);
  t.is(counts.sequences, RUNS);
});

/** Creates initial resources of each kind. */
async function seedWorld(step: Step): Promise<void> {
  const plain = { isTwice: false };
  for (const name of ['one', 'two', 'three']) await createCollection(step, { ...plain, name, tags: [], below: null });
  for (const [into, words] of [
    [8, ['otter']],
    [17, ['otter', 'quartz']],
  ] as const)
    await uploadText(step, { into, words: [...words], isSame: false, metadata: { lang: 'en' } });
  await createConversation(step, { ...plain, title: 'Of otters', about: [9], is_public: false });
  await createMessages(step, { ...plain, at: 1, texts: ['hello', 'again'], role: 'user', isReply: false });
  for (const user_id of ['ada', 'bob'])
    await createMemory(step, { ...plain, user_id, words: ['otter'], topics: [], metadata: {} });
  await createKey(step, { ...plain, permissions: ['collections:read', 'memories:write'], reach: [1] });
}

/** Compares all lists with the model at the end of a sequence. */
async function compareAll(step: Step): Promise<void> {
  await checkReceipts(step);
  await listCollections(step, { limit: 3 });
  await listContents(step, { collection: null, limit: 3 });
  await listConversations(step, { collection: null, skip: 0, limit: 1000 });
  await listMemories(step, { limit: 3 });
  await listKeys(step, { limit: 3 });
}
