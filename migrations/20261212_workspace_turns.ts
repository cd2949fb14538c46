import type { Knex } from 'knex';
import { createIndexOnline, dropIndexOnline } from './lists/online.ts';

/** Each statement is a transaction of its own: the tables stay writable meanwhile, and an interrupted run begins again. */
export const config = { transaction: false };

/** Workspaces take turns when memories are indexed and workflows are started: what is due is found workspace by workspace. */
export async function up(knex: Knex): Promise<void> {
  await createIndexOnline(
    knex,
    'memory_versions_due',
    `memory_versions (workspace_id, index_due_at)
     where index_state = 'none' or (index_state = 'current' and valid_to is not null)`,
  );
  await createIndexOnline(knex, 'outbox_due', `outbox (workspace_id, next_attempt_at) where state = 'pending'`);
  for (const name of REPLACED) await dropIndexOnline(knex, name);
}

const REPLACED = ['memory_versions_pending', 'outbox_next_attempt_at_idx'];

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
