import type { Knex } from 'knex';

/**
 * What keeps OAuth tokens fresh. `credentials.due_at` is when the schedule refreshes by itself. `credential_refreshes` is the
 * fence of the exchange: it is written before a refresh token is sent, so that whoever comes after a crash knows that the
 * outcome is not known. `oauth_clients` are the clients of a workspace by provider; `oauth_states` authorizations under way.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table credentials add column expires_assumed boolean not null default false;
    alter table credentials add column due_at timestamptz;
    create index on credentials (due_at) where due_at is not null;

    create table credential_refreshes (
      credential_id uuid primary key references credentials on delete cascade,
      workspace_id uuid not null,
      run_id uuid not null,
      -- Of the credential whose refresh token was sent.
      version int not null,
      state text not null check (state in ('sending', 'done', 'refused', 'unavailable')),
      -- How often that token was sent in this run without a known outcome.
      sends int not null,
      sent_at timestamptz not null,
      failure_code text,
      failures int not null default 0,
      failing_since timestamptz,
      updated_at timestamptz not null default now()
    );

    create table oauth_clients (
      workspace_id uuid not null references workspaces,
      provider text not null,
      client_id text not null,
      sealed_secret text,
      settings jsonb not null default '{}',
      created_by text,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (workspace_id, provider)
    );

    create table oauth_states (
      state_hash text primary key,
      workspace_id uuid not null references workspaces,
      connection_id uuid not null references connections on delete cascade,
      sealed_verifier text not null,
      redirect_url text,
      expires_at timestamptz not null,
      created_at timestamptz not null default now()
    );
    create index on oauth_states (expires_at);
    create index on oauth_states (connection_id);
  `);
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
