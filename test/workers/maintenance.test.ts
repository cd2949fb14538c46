import test from 'ava';
import { openInsides } from '#test/support/harness/flow.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { query } from '#store/postgres.ts';
import { createMaintenance } from '#workers/maintenance.ts';

test.serial('one process at a time has the lease, and another takes it over when it ends or is given up', async (t) => {
  const inside = openInsides(t);
  const { database } = inside;
  const [first, second] = [createMaintenance(inside, { leaseMs: 600_000 }), createMaintenance(inside)];
  t.teardown(() => first.release());
  const takeOver = async () => {
    // As if its holder had been killed, the worker of the stack among them.
    await query(database, `update maintenance_lease set held_until = now() - interval '1 second'`);
    await first.renew();
    return first.isHeld();
  };
  t.false(first.isHeld());
  await eventually('the lease is free', takeOver);
  await second.renew();
  t.false(second.isHeld());
  await first.renew();
  t.true(first.isHeld());
  await first.release();
  t.false(first.isHeld());
  await eventually('a process has the lease again', async () => {
    const rows = await query(database, 'select from maintenance_lease where held_until > now()');
    return rows.length === 1;
  });
});
