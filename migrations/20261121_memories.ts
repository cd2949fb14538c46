import type { Knex } from 'knex';

/**
 * Memories with all their versions. A memory is its owner, its type and the number of its current version; what it says
 * is in `memory_versions`. `index_state` is what the index holds of a version (`none`, `current` or `past`): where that is
 * not what it should hold, the worker brings it about when `index_due_at` has come.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table memories (
      id uuid primary key,
      workspace_id uuid not null references workspaces,
      user_id text not null,
      memory_type text not null check (memory_type in ('user', 'agent', 'team', 'workflow')),
      version int not null default 1,
      created_by text,
      created_at timestamptz not null default date_trunc('milliseconds', clock_timestamp())
    );
    create index on memories (workspace_id, created_at, id);
    create index on memories (workspace_id, user_id, created_at, id);

    create table memory_versions (
      memory_id uuid not null references memories on delete cascade,
      version int not null,
      workspace_id uuid not null,
      object_id uuid not null unique,
      memory text not null,
      topics text[] not null default '{}',
      metadata jsonb not null default '{}',
      changed_by text,
      valid_from timestamptz not null,
      valid_to timestamptz,
      index_state text not null default 'none' check (index_state in ('none', 'current', 'past')),
      index_space text,
      index_attempts int not null default 0,
      index_due_at timestamptz not null,
      primary key (memory_id, version)
    );
    create unique index memory_versions_one_current on memory_versions (memory_id) where valid_to is null;
    create index memory_versions_pending on memory_versions (index_due_at)
      where index_state = 'none' or (index_state = 'current' and valid_to is not null);
    create index on memory_versions (index_space, workspace_id);
    create index on memory_versions (workspace_id, index_state);

    create table memory_residues (
      memory_id uuid primary key,
      workspace_id uuid not null,
      spaces text[] not null default '{}',
      passes smallint not null default 0,
      due_at timestamptz not null default now()
    );
    create index on memory_residues (due_at);
  `);
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
