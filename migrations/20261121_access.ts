import type { Knex } from 'knex';

/** Who belongs to a workspace beside what a token claims, and the look-ups that give a member its collections. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table workspace_members (
      workspace_id uuid not null references workspaces,
      user_id text not null,
      role text not null check (role in ('admin', 'member')),
      created_by text,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (workspace_id, user_id)
    );
    create index on workspace_members (user_id);
    create index on workspace_members (workspace_id, created_at, user_id);

    create index on workspaces (created_at, id);
    create index on collections (workspace_id, created_by);
    create index on collections (workspace_id) where visibility = 'public';
  `);
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
