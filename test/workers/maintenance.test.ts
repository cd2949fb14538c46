import test, { type ExecutionContext } from 'ava';
import { openOwnDatabase } from '#test/support/harness/own-services.ts';
import { query } from '#store/postgres.ts';
import { createStores } from '#store/stores.ts';
import { createMaintenance } from '#workers/maintenance.ts';

const LEASE_MS = 600_000;

async function setUp(t: ExecutionContext) {
  const database = await openOwnDatabase(t);
  const stores = createStores(database);
  const [first, second] = [
    createMaintenance({ stores }, { leaseMs: LEASE_MS }),
    createMaintenance({ stores }, { leaseMs: LEASE_MS }),
  ];
  const moveEnd = (byMs: number) =>
    query(database, `update maintenance_lease set held_until = held_until + :byMs * interval '1 millisecond'`, {
      byMs,
    });
  return { first, second, moveEnd };
}

test('one process at a time has the lease, and another takes it over when it ends or is given up', async (t) => {
  const { first, second, moveEnd } = await setUp(t);
  t.false(first.isHeld());
  await first.renew();
  await second.renew();
  t.true(first.isHeld());
  t.false(second.isHeld());
  await first.renew();
  t.true(first.isHeld());
  await first.release();
  t.false(first.isHeld());
  await second.renew();
  t.true(second.isHeld());
  // As if its holder had been killed.
  await moveEnd(-LEASE_MS - 1_000);
  await first.renew();
  t.true(first.isHeld());
});

test('a lease from before the clock of the database went back is taken over, but not after a small step', async (t) => {
  const { first, second, moveEnd } = await setUp(t);
  await first.renew();
  await moveEnd(1_000);
  await second.renew();
  t.false(second.isHeld());
  await moveEnd(30 * 86_400_000);
  await second.renew();
  t.true(second.isHeld());
});
