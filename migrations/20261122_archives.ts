import type { Knex } from 'knex';

/**
 * Contents that came out of another one: files of an archive, attachments of a message. They live and go with it. `part_root` is
 * what was uploaded, however deep they were packed in it. A run of the whole notes how far its parts are taken (`unpacked`, of
 * the version `unpacked_version`); `part_version` is the version of the whole that had the part last.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table contents add column part_of uuid, add column part_root uuid, add column part_depth smallint not null default 0;
    create index on contents (part_of) where part_of is not null;
    create index on contents (part_root) where part_root is not null;
    create index on contents (linked_to, created_at, id) where linked_to is not null;

    alter table content_collections add column part_key text, add column part_version int, add column unpacked_version int,
      add column unpacked int;
    create unique index content_collections_part on content_collections (part_key, collection_id) where part_key is not null;

    -- What of an upload is still under way: its contents, and what came out of them.
    create index on outbox ((args ->> 'upload_id')) where args ->> 'upload_id' is not null;
  `);
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
