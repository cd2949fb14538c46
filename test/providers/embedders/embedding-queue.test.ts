import test from 'ava';
import * as fc from 'fast-check';
import {
  EmbeddingQueue,
  SlotEndedError,
  type EmbeddingSlot,
  type EmbeddingUnit,
} from '#providers/embedders/embedding-queue.ts';

type Unit = { texts: readonly string[]; signal: AbortSignal; finish: () => void; fail: (error: Error) => void };
type SlotSettings = Partial<Omit<EmbeddingSlot, 'run'>>;

/** Adds a slot whose units end when the test decides. A vector contains the length of its text. */
function addControlledSlot(queue: EmbeddingQueue, settings: SlotSettings = {}) {
  const units: Unit[] = [];
  const slot: EmbeddingSlot = {
    upTo: 'bulk',
    unitTexts: 2,
    unitCharacters: 1_000,
    ...settings,
    run: ({ texts, signal }) =>
      new Promise((resolve, reject) => {
        const finish = (): void => resolve(texts.map((text) => Float32Array.of(text.length)));
        units.push({ texts, signal, finish, fail: reject });
      }),
  };
  queue.addSlot(slot);
  /** Completes the running unit and waits until the queue has reacted. */
  const step = async (): Promise<void> => {
    units.at(-1)?.finish();
    await new Promise(setImmediate);
  };
  return { slot, units, step, firstTexts: () => units.map(({ texts }) => texts[0]) };
}

function controlledQueue(settings: SlotSettings = {}) {
  const queue = new EmbeddingQueue();
  return { queue, ...addControlledSlot(queue, settings) };
}

function bulk(
  queue: EmbeddingQueue,
  texts: readonly string[],
  { share = 'a', signal = undefined as AbortSignal | undefined } = {},
) {
  return queue.embed({ texts, lane: 'bulk', share, signal });
}

test('returns vectors in the order of the texts, whatever their lengths', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ maxLength: 50 }), { maxLength: 40 }), async (texts) => {
      const queue = new EmbeddingQueue();
      for (const unitTexts of [3, 4]) {
        const run = async (unit: EmbeddingUnit) => unit.texts.map((text) => Float32Array.of(text.length));
        queue.addSlot({ upTo: 'bulk', unitTexts, unitCharacters: 60, run });
      }
      const vectors = await bulk(queue, texts);
      t.deepEqual(
        vectors.map((vector) => vector[0]),
        texts.map((text) => text.length),
      );
    }),
  );
});

test('serves queries first, then express documents, then the rest, in units', async (t) => {
  const { queue, step, firstTexts } = controlledQueue();
  const calls = [
    bulk(queue, ['b1', 'b2', 'b3', 'b4']),
    queue.embed({ texts: ['e1', 'e2', 'e3'], lane: 'express', share: 'a' }),
    queue.embed({ texts: ['query'], lane: 'query', share: '' }),
  ];
  for (let unit = 0; unit < 5; unit++) await step();
  await Promise.all(calls);
  t.deepEqual(firstTexts(), ['b1', 'query', 'e1', 'e3', 'b3']);
});

test('a slot that is reserved for queries and express documents never takes bulk work', async (t) => {
  const queue = new EmbeddingQueue();
  const every = addControlledSlot(queue);
  const reserved = addControlledSlot(queue, { upTo: 'express' });
  const documents = bulk(queue, ['b1', 'b2', 'b3', 'b4']);
  t.deepEqual([every.units.length, reserved.units.length], [1, 0]);
  const query = queue.embed({ texts: ['query'], lane: 'query', share: '' });
  const express = queue.embed({ texts: ['e1'], lane: 'express', share: 'a' });
  t.deepEqual(reserved.firstTexts(), ['query']);
  await reserved.step();
  await query;
  t.deepEqual(reserved.firstTexts(), ['query', 'e1']);
  await reserved.step();
  await express;
  t.is(every.units.length, 1, 'the bulk unit was never interrupted');
  await every.step();
  await every.step();
  t.is((await documents).length, 4);
  t.is(reserved.units.length, 2);
});

test('serves the workspaces of a lane in turn, and the calls of a workspace in turn', async (t) => {
  const { queue, step, firstTexts } = controlledQueue();
  const calls = [
    bulk(queue, ['running'], { share: 'c' }),
    bulk(queue, ['a1', 'a2', 'a3', 'a4'], { share: 'a' }),
    bulk(queue, ['A1', 'A2', 'A3', 'A4'], { share: 'a' }),
    bulk(queue, ['b1', 'b2', 'b3', 'b4'], { share: 'b' }),
  ];
  for (let unit = 0; unit < 7; unit++) await step();
  await Promise.all(calls);
  t.deepEqual(firstTexts(), ['running', 'a1', 'b1', 'A1', 'b3', 'a3', 'A3']);
});

test('ends an aborted call at once with its reason, without affecting others', async (t) => {
  const { queue, units, step } = controlledQueue();
  const abort = new AbortController();
  const aborted = bulk(queue, ['a1', 'a2', 'a3', 'a4'], { signal: abort.signal });
  const waiting = bulk(queue, ['c1', 'c2'], { signal: abort.signal });
  const other = bulk(queue, ['b1']);
  abort.abort(new Error('enough'));
  await t.throwsAsync(aborted, { message: 'enough' });
  await t.throwsAsync(waiting, { message: 'enough' });
  t.true(units[0]?.signal.aborted);
  await step();
  await step();
  t.is((await other).length, 1);
  t.deepEqual(
    units.map(({ texts }) => [...texts]),
    [['a1', 'a2'], ['b1']],
  );
  await t.throwsAsync(bulk(queue, ['c'], { signal: abort.signal }), { message: 'enough' });
});

test('fails only the call whose unit of work fails', async (t) => {
  const { queue, units, step } = controlledQueue();
  const failing = bulk(queue, ['a1', 'a2', 'a3']);
  const other = bulk(queue, ['b1']);
  units[0]?.fail(new Error('out of memory'));
  await t.throwsAsync(failing, { message: 'out of memory' });
  await step();
  t.is((await other).length, 1);
  t.is(units.length, 2);
});

test('a unit whose slot ends is given to another one, and fails if that ends as well', async (t) => {
  const queue = new EmbeddingQueue();
  const first = addControlledSlot(queue);
  const end = async ({ slot, units }: typeof first) => {
    queue.removeSlot(slot);
    units.at(-1)?.fail(new SlotEndedError('a slot ended', { cause: new Error('killed') }));
    await new Promise(setImmediate);
  };
  const call = bulk(queue, ['a1', 'a2', 'a3']);
  await end(first);
  const second = addControlledSlot(queue);
  for (let unit = 0; unit < 2; unit += 1) await second.step();
  t.is((await call).length, 3);
  t.deepEqual(
    second.units.map(({ texts }) => [...texts]),
    [['a1', 'a2'], ['a3']],
  );
  const deadly = bulk(queue, ['deadly']);
  await end(second);
  await end(addControlledSlot(queue));
  await t.throwsAsync(deadly, { message: 'killed' });
});

test('asks for slots while work waits, and gives removed ones nothing more', async (t) => {
  const asked: string[] = [];
  const queue = new EmbeddingQueue((lane) => asked.push(lane));
  const call = bulk(queue, ['a1', 'a2', 'a3']);
  t.deepEqual(asked, ['bulk']);
  const first = addControlledSlot(queue);
  t.deepEqual(asked, ['bulk', 'bulk'], 'the third text waits');
  const second = addControlledSlot(queue);
  queue.removeSlot(first.slot);
  await second.step();
  await first.step();
  t.is((await call).length, 3);
  const last = bulk(queue, ['b1']);
  t.deepEqual([first.units.length, second.units.length, asked.length], [1, 2, 2]);
  await second.step();
  await last;
});

test('fails the calls of a lane that no slot can be opened for, and no others', async (t) => {
  const queue = new EmbeddingQueue();
  const documents = bulk(queue, ['a1']);
  const query = queue.embed({ texts: ['query'], lane: 'query', share: '' });
  queue.failWaiting('bulk', new Error('no thread'));
  await t.throwsAsync(documents, { message: 'no thread' });
  await addControlledSlot(queue).step();
  t.is((await query).length, 1);
});

test('rejects waiting and later calls after closing', async (t) => {
  const { queue } = controlledQueue();
  const waiting = bulk(queue, ['a']);
  queue.close(new Error('closed'));
  await t.throwsAsync(waiting, { message: 'closed' });
  await t.throwsAsync(bulk(queue, ['b']), { message: 'closed' });
});

test('processes a long text as its own unit', async (t) => {
  const { queue, units, step } = controlledQueue({ unitTexts: 8 });
  const call = bulk(queue, ['x'.repeat(5_000), 'y'.repeat(900), 'z'.repeat(900)]);
  for (let unit = 0; unit < 3; unit++) await step();
  await call;
  t.deepEqual(
    units.map(({ texts }) => texts.length),
    [1, 1, 1],
  );
});
