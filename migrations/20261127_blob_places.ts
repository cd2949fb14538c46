import type { Knex } from 'knex';

/**
 * Each row of a blob gets a place of its own, where its bytes are; those from before have none and stay where they are. A blob is
 * removed a day after it became unused. Bytes whose rows were removed are deleted afterwards, from a list that outlives their
 * workspace. `last_used_at` stays, for processes of the version before. `blob_copies` has what `npm run move-blobs` copies to another
 * store, written before the bytes: blobs that are removed before that store is in use are deleted there, too.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table blobs add column place uuid, add column unused_since timestamptz;

    create table blob_removals (
      id bigint generated always as identity primary key,
      workspace_id uuid not null,
      sha256 text not null,
      place uuid,
      due_at timestamptz not null default now(),
      is_repeated boolean not null default false
    );
    create index on blob_removals (due_at);
    create index on blob_removals (workspace_id) where not is_repeated;
    alter table blob_removals enable row level security;
    create policy workspace on blob_removals
      using (case when coalesce(current_setting('loci.workspace', true), '') = '' then true
        else workspace_id = current_setting('loci.workspace')::uuid end)
      with check (case when coalesce(current_setting('loci.workspace', true), '') = '' then true
        else workspace_id = current_setting('loci.workspace')::uuid end);

    create table blob_copies (
      id bigint generated always as identity primary key,
      store text not null,
      workspace_id uuid not null,
      sha256 text not null,
      place uuid,
      is_complete boolean not null default false,
      unique nulls not distinct (store, workspace_id, sha256, place)
    );
    alter table blob_copies enable row level security;
    create policy workspace on blob_copies
      using (case when coalesce(current_setting('loci.workspace', true), '') = '' then true
        else workspace_id = current_setting('loci.workspace')::uuid end)
      with check (case when coalesce(current_setting('loci.workspace', true), '') = '' then true
        else workspace_id = current_setting('loci.workspace')::uuid end);
  `);
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
