import type { Knex } from 'knex';

/**
 * Codes with which the console is signed in once. Only a hash is stored. A code stands for an API key: the key that it is redeemed
 * for has its workspace and its limits. `api_keys.from_sign_in` tells such keys apart, because they are deleted after their expiry.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table api_keys add column if not exists from_sign_in boolean not null default false;

    create table if not exists sign_in_codes (
      code_hash text primary key,
      workspace_id uuid not null references workspaces,
      api_key_id uuid not null references api_keys on delete cascade,
      expires_at timestamptz not null,
      created_at timestamptz not null default now(),
      check (expires_at <= created_at + interval '1 hour')
    );
    create index if not exists sign_in_codes_of_workspace on sign_in_codes (workspace_id);
    create index if not exists sign_in_codes_of_key on sign_in_codes (api_key_id);

    alter table sign_in_codes enable row level security;
    drop policy if exists workspace on sign_in_codes;
    create policy workspace on sign_in_codes
      using (case when coalesce(current_setting('loci.workspace', true), '') = '' then true
        else workspace_id = current_setting('loci.workspace')::uuid end)
      with check (case when coalesce(current_setting('loci.workspace', true), '') = '' then true
        else workspace_id = current_setting('loci.workspace')::uuid end);
  `);
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
