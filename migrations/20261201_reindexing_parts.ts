import type { Knex } from 'knex';

/** A reindexing is written in parts by several workers: the cursor of each part, under its number. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`alter table reindexings add column if not exists parts jsonb not null default '{}'`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table reindexings drop column if exists parts');
}
