import test from 'ava';
import { createSystemStore } from '#store/system.ts';
import { openOwnDatabase } from '#test/support/harness/own-services.ts';

test('turns at a host are as far apart as was asked for, whoever takes them', async (t) => {
  const system = createSystemStore(await openOwnDatabase(t));
  // So long that no machine is too slow to take all of them in the first one.
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

test('what one crawl knows of the wishes of a host counts for those that do not know them yet', async (t) => {
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

test('who does not want to wait so long takes no turn, and is told when there may be one', async (t) => {
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
