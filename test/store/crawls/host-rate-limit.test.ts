import test from 'ava';
import { createSystemStore } from '#store/system.ts';
import { openOwnDatabase } from '#test/support/harness/own-services.ts';

test('keeps the requested interval between the request slots of a host, across callers', async (t) => {
  const system = createSystemStore(await openOwnDatabase(t));
  // So long that even a slow machine reserves all slots within the first interval.
  const intervalMs = 600_000;
  const turns = await Promise.all(
    Array.from({ length: 5 }, () =>
      system.reserveRequestSlot('host', { intervalMs, isIntervalKnown: true, maxWaitMs: 10 * intervalMs }),
    ),
  );
  t.true(turns.every(({ isReserved }) => isReserved));
  const waits = turns.map(({ waitMs }) => Math.round(waitMs / intervalMs)).toSorted((a, b) => a - b);
  t.deepEqual(waits, [0, 1, 2, 3, 4]);
  t.deepEqual(
    (await system.reserveRequestSlot('another', { intervalMs, isIntervalKnown: true, maxWaitMs: 0 })).waitMs,
    0,
  );
});

test('applies the crawl delay that one crawl knows to crawls that do not know it yet', async (t) => {
  const system = createSystemStore(await openOwnDatabase(t));
  const turn = async (intervalMs: number, isIntervalKnown: boolean) => {
    const { waitMs } = await system.reserveRequestSlot('host', { intervalMs, isIntervalKnown, maxWaitMs: 100_000_000 });
    return Math.round(waitMs / 600_000);
  };
  t.is(await turn(600_000, false), 0);
  t.is(await turn(6_000_000, true), 1);
  t.is(await turn(600_000, false), 11, 'after the long pause');
  t.is(await turn(600_000, false), 21, 'which is now the pause of all');
  t.is(await turn(600_000, true), 31, 'until somebody knows better');
  t.is(await turn(600_000, false), 32);
});

test('reserves no slot when the wait is too long, and returns the wait', async (t) => {
  const system = createSystemStore(await openOwnDatabase(t));
  const intervalMs = 600_000;
  t.true((await system.reserveRequestSlot('host', { intervalMs, isIntervalKnown: true, maxWaitMs: 0 })).isReserved);
  for (let again = 0; again < 3; again += 1) {
    const turn = await system.reserveRequestSlot('host', { intervalMs, isIntervalKnown: true, maxWaitMs: 1_000 });
    t.false(turn.isReserved);
    t.is(Math.ceil(turn.waitMs / intervalMs), 1);
  }
  await system.pauseHost('host', 3 * intervalMs);
  const { waitMs } = await system.reserveRequestSlot('host', { intervalMs, isIntervalKnown: true, maxWaitMs: 1_000 });
  t.is(Math.ceil(waitMs / intervalMs), 3);
});
