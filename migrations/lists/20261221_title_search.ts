import type { Knex } from 'knex';

const IS_ALLOWED = `case when coalesce(current_setting('loci.workspace', true), '') = '' then true
  else workspace_id = current_setting('loci.workspace')::uuid end`;

/**
 * `title_key` replaces each letter that is not ASCII by three letters and digits, so that `ai` or `5` was found in titles of other
 * scripts. The key selects titles by the index, and the titles themselves decide: they contain the text, or share two letters in a row
 * with it. `conversations_by_title` stays for processes of the version before.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create or replace function plain_title(title text) returns text language sql immutable parallel safe
      as $$ select lower(regexp_replace(normalize(title, NFKD), '[\\u0300-\\u036f]', '', 'g') collate "pg_c_utf8") $$;
    create or replace function shares_letters(search text, title text) returns boolean language sql immutable parallel safe
      as $$
        select exists (
          select from generate_series(1, length(search) - 1) at, substr(search, at, 2) pair
          where position(pair in title) > 0 and position(' ' in pair) = 0)
      $$;

    create or replace function conversations_with_title(workspace uuid, search_key text, search_text text) returns setof uuid
      language sql stable security definer set search_path = public, pg_temp
      as $$
        select id from conversations where workspace_id = workspace and ${IS_ALLOWED}
          and (title_key like '%' || search_key || '%' and position(plain_title(search_text) in plain_title(title)) > 0
            or search_key <% title_key and shares_letters(plain_title(search_text), plain_title(title)))
      $$;
    revoke all on function conversations_with_title from public;
  `);
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
