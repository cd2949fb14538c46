import type { Knex } from 'knex';

const IS_ALLOWED = `case when coalesce(current_setting('loci.workspace', true), '') = '' then true
  else workspace_id = current_setting('loci.workspace')::uuid end`;

/**
 * The policy of `20261125_row_security` for the two tables that were left out, because Postgres uses no index behind a policy for
 * operators that might reveal other rows in an error. An upload of a job becomes a column, whose equality reveals nothing. The
 * conversations that a title or a collection selects are found by functions with the rights of the owner, who is not subject to the
 * policy; they apply it themselves.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table outbox add column if not exists upload_id text generated always as (args ->> 'upload_id') stored;
    create index if not exists outbox_of_upload on outbox (upload_id) where upload_id is not null;
    drop index if exists outbox_expr_idx;

    create or replace function conversations_by_title(workspace uuid, search_key text) returns setof uuid
      language sql stable security definer set search_path = public, pg_temp
      as $$
        select id from conversations where workspace_id = workspace and ${IS_ALLOWED}
          and (search_key <% title_key or title_key like '%' || search_key || '%')
      $$;
    create or replace function conversations_by_collection(workspace uuid, collection uuid) returns setof uuid
      language sql stable security definer set search_path = public, pg_temp
      as $$
        select id from conversations where workspace_id = workspace and ${IS_ALLOWED} and collections @> array[collection]
      $$;
    revoke all on function conversations_by_title, conversations_by_collection from public;
  `);
  for (const table of ['outbox', 'conversations']) {
    await knex.raw(`
      alter table ${table} enable row level security;
      drop policy if exists workspace on ${table};
      create policy workspace on ${table} using (${IS_ALLOWED}) with check (${IS_ALLOWED});
    `);
  }
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
