import type { Knex } from 'knex';
import { createIndexOnline } from './lists/online.ts';

/** Each statement is a transaction of its own: the table stays writable meanwhile, and an interrupted run begins again. */
export const config = { transaction: false };

/** Receivers that deliveries wait for are looked at workspace by workspace, so that one with thousands of them delays no other. */
export async function up(knex: Knex): Promise<void> {
  await createIndexOnline(
    knex,
    'webhook_deliveries_receivers',
    `webhook_deliveries (workspace_id, receiver_id) where status in ('pending', 'retrying')`,
  );
  // Those that wait for another attempt are made due when the URL changes, however many wait for their first.
  await createIndexOnline(
    knex,
    'webhook_deliveries_retrying',
    `webhook_deliveries (receiver_id, due_at) where status = 'retrying'`,
  );
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
