import type { Knex } from 'knex';

/**
 * Conversations and their messages. `message_count` is also the number of the last message: it is drawn under the lock of the
 * conversation, so that messages have one order. `summary_asked` and `summary_seq` are how many messages a summary was asked
 * for and tells of. `memory_user_id` is set where memories are to be extracted: in whose name.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create extension if not exists pg_trgm;

    create table conversations (
      id uuid primary key default uuidv7(),
      workspace_id uuid not null references workspaces,
      title text,
      title_key text not null default '',
      summary text,
      summary_seq bigint not null default 0,
      summary_asked bigint not null default 0,
      status text not null default 'active' check (status in ('active', 'ended', 'archived')),
      is_public boolean not null default false,
      collections uuid[] not null default '{}',
      meta_data jsonb not null default '{}',
      settings jsonb not null default '{}',
      message_count bigint not null default 0,
      ended_at timestamptz,
      owner_id text,
      created_by text,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    );
    create index on conversations (workspace_id, created_at, id);
    create index on conversations (workspace_id, owner_id, created_at, id);
    create index on conversations using gin (title_key gin_trgm_ops);
    create index on conversations using gin (collections);

    create table messages (
      id uuid primary key default uuidv7(),
      conversation_id uuid not null references conversations on delete cascade,
      workspace_id uuid not null,
      seq bigint not null,
      sender_id text,
      content text not null,
      role text not null,
      message_type text not null,
      tool_calls jsonb not null default '[]',
      tags text[] not null default '{}',
      checksum text not null,
      attachments jsonb not null default '[]',
      parent_message_id uuid,
      meta_data jsonb not null default '{}',
      memory_user_id text,
      sent_at timestamptz not null,
      owner_id text,
      created_at timestamptz not null,
      updated_at timestamptz not null default now(),
      unique (conversation_id, seq)
    );
    create index on messages (conversation_id, parent_message_id, seq);
  `);
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
