import test from 'ava';
import * as fc from 'fast-check';
import { EmbeddingQueue } from '#providers/embedders/embedding-queue.ts';

type Unit = { texts: readonly string[]; finish: () => void; fail: (error: Error) => void };

/** A queue whose units of work end when the test decides. A vector contains the length of its text. */
function controlledQueue(unitTexts = 2) {
  const units: Unit[] = [];
  const queue = new EmbeddingQueue({
    unitTexts,
    unitCharacters: 1_000,
    run: (texts) =>
      new Promise((resolve, reject) => {
        units.push({ texts, finish: () => resolve(texts.map((text) => Float32Array.of(text.length))), fail: reject });
      }),
  });
  /** Completes the running unit and waits until the queue has reacted. */
  const step = async (): Promise<void> => {
    units.at(-1)?.finish();
    await new Promise(setImmediate);
  };
  return { queue, units, step };
}

function document(queue: EmbeddingQueue, texts: readonly string[], signal?: AbortSignal) {
  return queue.embed({ texts, isUrgent: false, signal });
}

test('returns vectors in the order of the texts, whatever their lengths', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ maxLength: 50 }), { maxLength: 40 }), async (texts) => {
      const queue = new EmbeddingQueue({
        unitTexts: 4,
        unitCharacters: 60,
        run: async (unit) => unit.map((text) => Float32Array.of(text.length)),
      });
      const vectors = await document(queue, texts);
      t.deepEqual(
        vectors.map((vector) => vector[0]),
        texts.map((text) => text.length),
      );
    }),
  );
});

test('processes a query before documents that were queued earlier', async (t) => {
  const { queue, units, step } = controlledQueue();
  const documents = document(queue, ['a1', 'a2', 'a3', 'a4']);
  const queries = [
    queue.embed({ texts: ['query'], isUrgent: true }),
    queue.embed({ texts: ['other'], isUrgent: true }),
  ];
  t.deepEqual(
    units.map(({ texts }) => texts[0]),
    ['a1', 'query'],
  );
  units[0]?.finish();
  await new Promise(setImmediate);
  t.is(units.length, 2);
  await step();
  t.deepEqual((await queries[0])?.[0], Float32Array.of(5));
  t.deepEqual(units.at(-1)?.texts, ['other']);
  await step();
  await queries[1];
  await step();
  t.is((await documents).length, 4);
});

test('alternates between concurrent calls', async (t) => {
  const { queue, units, step } = controlledQueue();
  const calls = [document(queue, ['a1', 'a2', 'a3', 'a4']), document(queue, ['b1', 'b2', 'b3', 'b4'])];
  for (let unit = 0; unit < 4; unit++) await step();
  await Promise.all(calls);
  t.deepEqual(
    units.map(({ texts }) => texts[0]?.charAt(0)),
    ['a', 'b', 'a', 'b'],
  );
});

test('ends an aborted call at once with its reason, without affecting others', async (t) => {
  const { queue, units, step } = controlledQueue();
  const abort = new AbortController();
  const aborted = document(queue, ['a1', 'a2', 'a3', 'a4'], abort.signal);
  const other = document(queue, ['b1']);
  abort.abort(new Error('enough'));
  await t.throwsAsync(aborted, { message: 'enough' });
  await step();
  await step();
  t.is((await other).length, 1);
  t.deepEqual(
    units.map(({ texts }) => [...texts]),
    [['a1', 'a2'], ['b1']],
  );
  await t.throwsAsync(document(queue, ['c'], abort.signal), { message: 'enough' });
});

test('fails only the call whose unit of work fails', async (t) => {
  const { queue, units, step } = controlledQueue();
  const failing = document(queue, ['a1', 'a2', 'a3']);
  const other = document(queue, ['b1']);
  units[0]?.fail(new Error('out of memory'));
  await t.throwsAsync(failing, { message: 'out of memory' });
  await step();
  t.is((await other).length, 1);
  t.is(units.length, 2);
});

test('rejects waiting and later calls after closing', async (t) => {
  const { queue } = controlledQueue();
  const waiting = document(queue, ['a']);
  queue.close(new Error('closed'));
  await t.throwsAsync(waiting, { message: 'closed' });
  await t.throwsAsync(document(queue, ['b']), { message: 'closed' });
});

test('processes a long text as its own unit', async (t) => {
  const { queue, units, step } = controlledQueue(8);
  const call = document(queue, ['x'.repeat(5_000), 'y'.repeat(900), 'z'.repeat(900)]);
  await step();
  await step();
  await step();
  await call;
  t.deepEqual(
    units.map(({ texts }) => texts.length),
    [1, 1, 1],
  );
});
