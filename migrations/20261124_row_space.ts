import type { Knex } from 'knex';

/**
 * Room for new versions of a row on its page. Each ingestion updates the rows of a content several times; an update that stays on
 * the page and changes no indexed column touches no index.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table content_collections set (fillfactor = 50);
    alter table contents set (fillfactor = 70);
    alter table outbox set (fillfactor = 70);
  `);
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
