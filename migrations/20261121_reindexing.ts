import type { Knex } from 'knex';

/**
 * Indexes that are made anew from the rows. `at_…` is the last chunk that was written; what is counted is counted in the
 * transaction that moves on, so that nothing counts twice.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table reindexings (
      id uuid primary key default uuidv7(),
      workspace_id uuid not null references workspaces,
      status text not null default 'pending' check (status in ('pending', 'running', 'completed')),
      total_contents bigint not null default 0,
      contents bigint not null default 0,
      skipped_contents bigint not null default 0,
      chunks bigint not null default 0,
      total_memories bigint not null default 0,
      memories bigint not null default 0,
      at_collection uuid,
      at_content uuid,
      at_chunk int,
      created_by text,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      completed_at timestamptz
    );
    create index on reindexings (workspace_id, created_at);
    create unique index reindexings_one_open on reindexings (workspace_id) where status <> 'completed';
  `);
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
