import type { Knex } from 'knex';

/**
 * What the kept text of a version is of (`text_key`: bytes, reader and what readers make of them), and what splitting it again needs to
 * know (`text_facts`: its length and where its pages begin). `reread`: a run that was asked for to read the file anew.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table content_collections add column text_key text, add column text_facts jsonb,
      add column active_text_key text, add column active_text_facts jsonb, add column reread boolean not null default false;
  `);
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
