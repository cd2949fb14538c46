import type { Knex } from 'knex';

/** Workflows that an acknowledged resume, cancel or deletion has to wake: a process that dies before the signal leaves it to the others. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table wakes (
      workflow_id text primary key,
      workspace_id uuid not null references workspaces,
      wake_id uuid not null,
      due_at timestamptz not null default now()
    );
    create index on wakes (due_at);
    create index on wakes (workspace_id);
  `);
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
