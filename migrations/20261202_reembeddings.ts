import type { Knex } from 'knex';

/**
 * Changes of the embedder of a collection. `generation` is the number of the index generation that is built, and never used again:
 * `built_generation` and `built_version` of a content say which of its versions is complete in which generation. They are
 * columns of the row that the run and the deletion of a content lock anyway, and end with it. `disagreements`: how often in a row
 * the index had fewer objects than the rows say.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table content_collections add column if not exists built_generation int, add column if not exists built_version int;

    create table if not exists reembeddings (
      id uuid primary key default uuidv7(),
      workspace_id uuid not null,
      collection_id uuid not null references collections,
      status text not null default 'pending'
        check (status in ('pending', 'building', 'paused', 'switched', 'cancelling', 'failing', 'completed', 'cancelled', 'failed')),
      status_message text,
      generation int not null,
      from_space jsonb not null,
      to_space jsonb not null,
      total_contents bigint not null default 0,
      contents bigint not null default 0,
      chunks bigint not null default 0,
      disagreements int not null default 0,
      created_by text,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      switched_at timestamptz,
      completed_at timestamptz
    );
    create index if not exists reembeddings_of_collection on reembeddings (collection_id, created_at);
    create index if not exists reembeddings_of_workspace on reembeddings (workspace_id);
    create unique index if not exists reembeddings_one_open on reembeddings (collection_id)
      where status not in ('completed', 'cancelled', 'failed');
    create unique index if not exists index_generations_one_building on index_generations (collection_id)
      where status = 'building';

    alter table reembeddings enable row level security;
    drop policy if exists workspace on reembeddings;
    create policy workspace on reembeddings
      using (case when coalesce(current_setting('loci.workspace', true), '') = '' then true
        else workspace_id = current_setting('loci.workspace')::uuid end)
      with check (case when coalesce(current_setting('loci.workspace', true), '') = '' then true
        else workspace_id = current_setting('loci.workspace')::uuid end);
  `);
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
