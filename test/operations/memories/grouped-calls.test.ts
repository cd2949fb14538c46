import test from 'ava';
import { AppError } from '#domain/app-error.ts';
import { GroupedCalls, type CallOutcome, type GroupOptions } from '#operations/memories/grouped-calls.ts';

/** Groups of words that run until they are told to end. */
function openGroups(options: Partial<GroupOptions<string, string>> = {}) {
  const begun: { key: string; items: readonly string[]; end: () => void }[] = [];
  const groups = new GroupedCalls<string, string>({
    sizeOf: (word) => word.length,
    maxItems: 10,
    maxSize: 100,
    maxRunning: 1,
    run: (key, items) =>
      new Promise((resolve) => {
        begun.push({ key, items, end: () => resolve(items.map((item): CallOutcome<string> => ({ result: item }))) });
      }),
    ...options,
  });
  const call = (item: string, { key = 'k', share = item, deadlineMs = Infinity } = {}) =>
    groups.call(item, { key, share, deadlineMs });
  const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  return { begun, call, turn };
}

test('calls that arrive while a group runs are served together by the next one', async (t) => {
  const { begun, call, turn } = openGroups();
  const first = call('a');
  await turn();
  const later = [call('b'), call('c'), call('d')];
  await turn();
  t.deepEqual(
    begun.map(({ items }) => items),
    [['a']],
  );
  begun[0]?.end();
  t.is(await first, 'a');
  await turn();
  t.deepEqual(begun[1]?.items, ['b', 'c', 'd']);
  begun[1]?.end();
  t.deepEqual(await Promise.all(later), ['b', 'c', 'd']);
});

test('calls of one turn of the event loop share a group; another starts beside it when as many calls wait', async (t) => {
  const { begun, call, turn } = openGroups({ maxRunning: 2 });
  void call('a');
  void call('b');
  await turn();
  void call('c');
  await turn();
  t.is(begun.length, 1);
  void call('d');
  await turn();
  void call('e');
  void call('f');
  await turn();
  t.deepEqual(
    begun.map(({ items }) => items),
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  );
  begun[1]?.end();
  await turn();
  t.deepEqual(begun[2]?.items, ['e', 'f']);
});

test('eight calls start a group beside a larger one', async (t) => {
  const { begun, call, turn } = openGroups({ maxRunning: 2, maxItems: 20 });
  for (let number = 0; number < 20; number += 1) void call(`b${number}`, { share: 'batch' });
  await turn();
  for (let number = 0; number < 8; number += 1) void call(`s${number}`);
  await turn();
  t.is(begun[1]?.items.length, 8);
});

test('a group is bounded by its number of items and by their size', async (t) => {
  const { begun, call, turn } = openGroups({ maxItems: 3, maxSize: 10 });
  for (const word of ['one', 'two', 'six', 'ten', 'a long word', 'end']) void call(word, { share: 'one request' });
  for (let group = 0; group < 3; group += 1) {
    await turn();
    begun[group]?.end();
  }
  t.deepEqual(
    begun.map(({ items }) => items),
    [['one', 'two', 'six'], ['ten', 'a long word'], ['end']],
  );
});

test('requests that wait take turns: a single call is in the next group, however many another request waits with', async (t) => {
  const { begun, call, turn } = openGroups({ maxItems: 4 });
  for (let number = 0; number < 12; number += 1) void call(`b${number}`, { share: 'batch' });
  await turn();
  void call('single');
  begun[0]?.end();
  await turn();
  t.deepEqual(
    begun.map(({ items }) => items),
    [
      ['b0', 'b1', 'b2', 'b3'],
      ['b4', 'single', 'b5', 'b6'],
    ],
  );
});

test('keys neither share groups nor wait for each other', async (t) => {
  const { begun, call, turn } = openGroups();
  void call('a', { key: 'one' });
  await turn();
  void call('b', { key: 'one' });
  void call('c', { key: 'two' });
  await turn();
  t.deepEqual(
    begun.map(({ key, items }) => [key, items]),
    [
      ['one', ['a']],
      ['two', ['c']],
    ],
  );
});

test('a call whose deadline passes while it waits fails and is not served', async (t) => {
  const { begun, call, turn } = openGroups();
  const first = call('a');
  await turn();
  const late = t.throwsAsync(call('late', { deadlineMs: performance.now() - 1 }), { instanceOf: AppError });
  const other = call('b');
  begun[0]?.end();
  t.is(await first, 'a');
  t.is((await late).code, 'dependency_unavailable');
  await turn();
  t.deepEqual(begun[1]?.items, ['b']);
  begun[1]?.end();
  t.is(await other, 'b');
});

test('an error fails the calls it is given for, one that is thrown fails the group, and the next group runs', async (t) => {
  let round = 0;
  const { call } = openGroups({
    run: async (_key, items) => {
      round += 1;
      if (round === 2) throw new Error('all of them');
      return items.map((item) => (item === 'bad' ? { error: new Error('only this') } : { result: item }));
    },
  });
  const [good, bad] = [call('good'), t.throwsAsync(call('bad'), { message: 'only this' })];
  t.is(await good, 'good');
  await bad;
  await Promise.all([
    t.throwsAsync(call('a'), { message: 'all of them' }),
    t.throwsAsync(call('b'), { message: 'all of them' }),
  ]);
  t.is(await call('c'), 'c');
});
