import type { Knex } from 'knex';

/**
 * Deletable collections, and connections. The indexes are what filters, and the removal of a collection with everything that
 * refers to it, look up. A dropped tenant stays known for a day: a worker that stalled may bring it back.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create index collections_deleting on collections (workspace_id) where status = 'deleting';
    create index on collections (parent_id);
    create index on collections using gin (tags);
    create index on contents (collection_id);
    create index on uploads (collection_id);

    -- Who deletes a collection keeps the receipt when there is no collection any more to reach it by.
    alter table deletions add column created_by text;

    -- A workflow is bringing the content's filters into the index, and looks once more before it ends.
    alter table content_collections add column projecting boolean not null default false;

    create table dropped_tenants (
      tenant text primary key,
      workspace_id uuid not null,
      provider text not null,
      model text not null,
      model_hash text not null,
      dimensions int not null,
      passes smallint not null default 0,
      due_at timestamptz not null default now(),
      created_at timestamptz not null default now()
    );
    create index on dropped_tenants (due_at);

    create table credentials (
      id uuid primary key default uuidv7(),
      workspace_id uuid not null references workspaces,
      sealed text not null,
      -- Goes up with every change: who refreshes compares it, so that no newer secret is overwritten.
      version int not null default 1,
      expires_at timestamptz,
      last_refresh_at timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    );
    create index on credentials (expires_at) where expires_at is not null;

    create table connections (
      id uuid primary key default uuidv7(),
      workspace_id uuid not null references workspaces,
      integration text not null,
      integration_type text not null
        check (integration_type in ('connectors', 'mcp', 'tool', 'model', 'custom', 'storage', 'api')),
      credential_id uuid unique references credentials,
      user_id text,
      label text,
      config jsonb not null default '{}',
      status text not null default 'active' check (status in ('active', 'inactive', 'testing', 'error', 'expired')),
      created_by text,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    );
    create index on connections (workspace_id, created_at, id);
  `);
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
