import test from 'ava';
import type { Knex } from 'knex';
import { migrationSource } from '#migrations/source.ts';
import { query, type Database } from '#store/postgres.ts';
import { openEmptyDatabase } from '#test/support/harness/own-services.ts';

const MIGRATION = '20261123_webhook_receivers';

/** Applies the migrations that precede this one. */
async function migrateUpTo(database: Database, name: string): Promise<void> {
  const all = await migrationSource.getMigrations([]);
  const before = all.slice(
    0,
    all.findIndex((one) => migrationSource.getMigrationName(one) === name),
  );
  const source: Knex.MigrationSource<(typeof all)[number]> = {
    ...migrationSource,
    getMigrations: () => Promise.resolve(before),
  };
  await database.migrate.latest({ migrationSource: source });
}

test('an upgrade wakes the workflows of single deliveries, and their deliveries stay due', async (t) => {
  const database = await openEmptyDatabase(t);
  await migrateUpTo(database, MIGRATION);
  const [workspace] = await query<{ id: string }>(
    database,
    `insert into workspaces (id, name) values (gen_random_uuid(), 'old') returning id`,
  );
  const workspaceId = workspace?.id ?? '';
  await query(
    database,
    `insert into webhook_deliveries (workspace_id, url, origin, event_type, body, status, round_attempts, due_at)
     select :workspaceId::uuid, 'https://example.com/' || n, 'https://example.com', 'compress.completed', '{}', 'retrying', 3,
       now() - interval '1 second' from generate_series(1, 3) n`,
    { workspaceId },
  );
  await query(
    database,
    `insert into outbox (workspace_id, workflow_type, workflow_id, task_queue, args, summary, state)
     select :workspaceId::uuid, type, type || '/' || state, 'loci-workflows', '{}', '', state
     from unnest(array['deliverWebhook', 'ingestBatch']) type, unnest(array['pending', 'started']) state`,
    { workspaceId },
  );
  await query(database, `insert into webhook_origins (workspace_id, origin, failures) values (:workspaceId, 'x', 3)`, {
    workspaceId,
  });
  await database.migrate.latest({ migrationSource });
  t.deepEqual(await query(database, 'select workflow_id from wakes'), [{ workflow_id: 'deliverWebhook/started' }]);
  const left = await query<{ workflow_id: string }>(database, 'select workflow_id from outbox order by 1');
  t.deepEqual(
    left.map(({ workflow_id }) => workflow_id),
    ['deliverWebhook/started', 'ingestBatch/pending', 'ingestBatch/started'],
  );
  const receivers = await query(
    database,
    `select receiver_id from webhook_deliveries where status = 'retrying' and due_at <= now() and queued_at > now() - interval '1 hour'`,
  );
  t.is(receivers.length, 3);
  t.is(new Set(receivers.map((row) => JSON.stringify(row))).size, 1, 'one receiver per origin');
});
