import type { Knex } from 'knex';

/** A removal of bytes that fails is tried again after a pause, which grows with the attempts. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table blob_removals add column if not exists attempts int not null default 0');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table blob_removals drop column if exists attempts');
}
