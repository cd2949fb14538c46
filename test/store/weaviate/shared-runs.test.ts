import test from 'ava';
import { createSharedRuns } from '#store/weaviate/shared-runs.ts';

/** Works whose runs end when the test decides. */
function controlledRuns() {
  const share = createSharedRuns();
  const ends: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const ask = (key = 'a'): Promise<void> =>
    share(key, () => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      ends.push({ resolve, reject });
      return promise;
    });
  const settle = (): Promise<void> => new Promise(setImmediate);
  return { ask, ends, settle };
}

test('callers that ask during a run share the next one', async (t) => {
  const { ask, ends, settle } = controlledRuns();
  const first = ask();
  await settle();
  const later = [ask(), ask(), ask()];
  await settle();
  t.is(ends.length, 1, 'one run of a key at a time');
  ends[0]?.resolve();
  await first;
  await settle();
  t.is(ends.length, 2);
  ends[1]?.resolve();
  await Promise.all(later);
  const last = ask();
  await settle();
  t.is(ends.length, 3);
  ends[2]?.resolve();
  await last;
});

test('a failed run fails those who share it, and not the next one', async (t) => {
  const { ask, ends, settle } = controlledRuns();
  const shared = [ask(), ask()].map((call) => t.throwsAsync(call, { message: 'down' }));
  await settle();
  const next = ask();
  ends[0]?.reject(new Error('down'));
  await Promise.all(shared);
  await settle();
  ends[1]?.resolve();
  await t.notThrowsAsync(next);
});

test('keys do not wait for each other', async (t) => {
  const { ask, ends, settle } = controlledRuns();
  const calls = [ask('a'), ask('b')];
  await settle();
  t.is(ends.length, 2);
  for (const end of ends) end.resolve();
  await Promise.all(calls);
});
