import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { EmbeddingQueue } from '#providers/embedders/embedding-queue.ts';
import { ModelThreads, type EmbeddingThread } from '#providers/embedders/model-threads.ts';
import { ModelThread } from '#providers/local-models/model-thread.ts';

const PROGRAM = new URL('../../support/servers/models/mortal-model.ts', import.meta.url);

/** Returns what embeds texts with threads of a program that some texts end. */
async function openMortalModel(t: ExecutionContext) {
  const folder = await mkdtemp(join(tmpdir(), 'loci-test-model-'));
  const queue: EmbeddingQueue = new EmbeddingQueue((lane) => threads.startFor(lane));
  const threads = new ModelThreads(queue, {
    start: (): Promise<EmbeddingThread> => ModelThread.start(PROGRAM, { source: join(folder, 'ended'), isNice: false }),
    most: { prompt: 1, bulk: 1 },
  });
  t.teardown(async () => {
    queue.close(new Error('closed'));
    await threads.close();
    await rm(folder, { recursive: true });
  });
  return (text: string) => queue.embed({ texts: [text], lane: 'bulk', share: 'a' });
}

test('a text whose thread dies is embedded by the next thread', async (t) => {
  const embed = await openMortalModel(t);
  t.deepEqual(await embed('ends the first thread'), [Float32Array.of(21)]);
});

test('a text with which two threads die fails, and others are embedded', async (t) => {
  const embed = await openMortalModel(t);
  await t.throwsAsync(embed('ends every thread'), { message: /thread of the model ended, with code 1/ });
  t.deepEqual(await embed('harmless'), [Float32Array.of(8)]);
});
