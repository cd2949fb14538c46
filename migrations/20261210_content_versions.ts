import type { Knex } from 'knex';

/**
 * When a version of a content was published and by which upload; and of the versions before, at most 19, the same with the time at
 * which they were replaced. Nothing is written for a content until it is replaced but its own time and upload.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table content_collections add column if not exists published_at timestamptz,
      add column if not exists published_upload_id uuid, add column if not exists earlier_versions jsonb;
  `);
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
