import test from 'ava';
import { FairSlots } from '#domain/fair-slots.ts';

/** Work that ends when it is told to. */
function openWork(slots: FairSlots) {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (name: string, options: Parameters<FairSlots['run']>[1] = {}): Promise<string> =>
    slots.run(() => {
      started.push(name);
      const { promise, resolve } = Promise.withResolvers<string>();
      ends.set(name, () => resolve(name));
      return promise;
    }, options);
  return { started, run, end: (name: string) => ends.get(name)?.() };
}

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

test('runs as many as there are slots, then shares in turn, and express first', async (t) => {
  const { started, run, end } = openWork(new FairSlots(2));
  const all = [
    run('a1', { share: 'a' }),
    run('a2', { share: 'a' }),
    run('a3', { share: 'a' }),
    run('b1', { share: 'b' }),
    run('e1', { share: 'a', lane: 'express' }),
  ];
  await turn();
  t.deepEqual(started, ['a1', 'a2']);
  for (const name of ['a1', 'a2', 'e1', 'b1', 'a3']) {
    end(name);
    await turn();
  }
  t.deepEqual(started, ['a1', 'a2', 'e1', 'b1', 'a3']);
  t.deepEqual(await Promise.all(all), ['a1', 'a2', 'a3', 'b1', 'e1']);
});

test('work that fails frees its slot, and aborted work that waits does not start', async (t) => {
  const slots = new FairSlots(1);
  const { started, run, end } = openWork(slots);
  const failing = slots.run(() => Promise.reject(new Error('broken')));
  const controller = new AbortController();
  const aborted = run('aborted', { signal: controller.signal });
  const last = run('last');
  controller.abort(new Error('cancelled'));
  await t.throwsAsync(failing, { message: 'broken' });
  await t.throwsAsync(aborted, { message: 'cancelled' });
  await t.throwsAsync(run('late', { signal: controller.signal }), { message: 'cancelled' });
  await turn();
  end('last');
  t.is(await last, 'last');
  t.deepEqual(started, ['last']);
});

test('a share has no more slots than it may have, even while others are free', async (t) => {
  const { started, run, end } = openWork(new FairSlots(3, { maxPerShare: 2 }));
  const all = [run('a1', { share: 'a' }), run('a2', { share: 'a' }), run('a3', { share: 'a' })];
  await turn();
  t.deepEqual(started, ['a1', 'a2']);
  all.push(run('b1', { share: 'b' }));
  await turn();
  t.deepEqual(started, ['a1', 'a2', 'b1'], 'another share finds a free slot');
  end('b1');
  await turn();
  t.is(started.length, 3);
  end('a1');
  await turn();
  t.deepEqual(started, ['a1', 'a2', 'b1', 'a3']);
  end('a2');
  end('a3');
  await Promise.all(all);
});

test('reserved slots take express work only, which bulk work therefore never holds up', async (t) => {
  const { started, run, end } = openWork(new FairSlots(2, { reserved: 1 }));
  const all = [run('bulk1'), run('bulk2'), run('express1', { lane: 'express' }), run('express2', { lane: 'express' })];
  await turn();
  t.deepEqual(started, ['bulk1', 'express1']);
  end('express1');
  await turn();
  t.deepEqual(started, ['bulk1', 'express1', 'express2']);
  end('express2');
  await turn();
  t.deepEqual(started, ['bulk1', 'express1', 'express2'], 'the reserved slot stays free');
  end('bulk1');
  await turn();
  t.deepEqual(started, ['bulk1', 'express1', 'express2', 'bulk2']);
  end('bulk2');
  await Promise.all(all);
});
