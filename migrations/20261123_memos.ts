import type { Knex } from 'knex';

/** Names of what a workflow works on, which the lists of the Temporal UI show. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`alter table outbox add column memo jsonb`);
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
