import type { Knex } from 'knex';

/**
 * `epoch`: raised whenever a workspace is reindexed, because its index may have been lost. What a run says that it wrote in an
 * earlier epoch does not count.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table index_generations add column if not exists epoch int not null default 0');
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
