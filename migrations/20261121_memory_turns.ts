import type { Knex } from 'knex';

/** Until when somebody writes a memory into the index: nobody else does so meanwhile. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`alter table memories add column projecting_until timestamptz`);
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
