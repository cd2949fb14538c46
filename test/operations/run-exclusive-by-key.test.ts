import test from 'ava';
import { runExclusiveByKey } from '#operations/run-exclusive-by-key.ts';

/** Starts tasks of one key behind a running one, and returns the order in which they ran. */
async function orderOf(tasks: readonly { name: string; isUrgent: boolean }[]): Promise<string[]> {
  const order: string[] = [];
  const first = Promise.withResolvers<void>();
  const key = tasks.map(({ name }) => name).join();
  const running = [
    runExclusiveByKey(key, () => first.promise),
    ...tasks.map(({ name, isUrgent }) => runExclusiveByKey(key, async () => void order.push(name), { isUrgent })),
  ];
  first.resolve();
  await Promise.all(running);
  return order;
}

const bulk = (name: string) => ({ name, isUrgent: false });
const urgent = (name: string) => ({ name, isUrgent: true });

test('urgent tasks pass others that wait, each kind in order of arrival', async (t) => {
  const tasks = [bulk('b1'), bulk('b2'), urgent('u1'), bulk('b3'), urgent('u2')];
  t.deepEqual(await orderOf(tasks), ['u1', 'u2', 'b1', 'b2', 'b3']);
});

test('a task is passed by eight urgent ones at most', async (t) => {
  const names = Array.from({ length: 20 }, (_, index) => `u${index}`);
  const order = await orderOf([bulk('b1'), bulk('b2'), ...names.map(urgent)]);
  t.deepEqual([order.indexOf('b1'), order.indexOf('b2')], [8, 17]);
  t.deepEqual(
    order.filter((name) => name.startsWith('u')),
    names,
  );
});

test('tasks of one key never run at the same time, and go on after one that fails', async (t) => {
  let running = 0;
  const task = async (fails: boolean) => {
    t.is((running += 1), 1);
    await new Promise((resolve) => void setImmediate(resolve));
    running -= 1;
    if (fails) throw new Error('failed');
    return 'done';
  };
  const results = await Promise.allSettled(
    Array.from({ length: 6 }, (_, index) => runExclusiveByKey('one', () => task(index % 2 === 1))),
  );
  t.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled', 'rejected'],
  );
  t.is(await runExclusiveByKey('one', () => task(false)), 'done', 'a key can be used again');
});
