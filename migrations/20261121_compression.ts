import type { Knex } from 'knex';

/**
 * Compress jobs. What the first look at the text found (`query` … `joint`) is written once and binds every step after it; a
 * window is done when it has content, which may be empty and may hold any character, so it is bytes.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table compressions (
      id uuid primary key,
      workspace_id uuid not null references workspaces,
      status text not null default 'pending' check (status in ('pending', 'running', 'completed', 'failed', 'cancelled')),
      strategy text not null,
      include_metadata boolean not null,
      target_ratio double precision,
      target_tokens bigint,
      asked_query text,
      webhook_url text not null,
      input_sha256 text not null,
      input_bytes bigint not null,
      query text,
      query_source text,
      original_tokens bigint,
      original_characters bigint,
      planned_tokens bigint,
      compressor text,
      window_characters int,
      joint text,
      windows_total int,
      strategy_used text,
      compressed_tokens bigint,
      metadata jsonb,
      error_code text,
      error_message text,
      created_by text,
      created_at timestamptz not null default now(),
      completed_at timestamptz,
      expires_at timestamptz
    );
    create index on compressions (workspace_id, input_sha256);
    create index on compressions (expires_at) where expires_at is not null;

    create table compression_windows (
      compression_id uuid not null references compressions on delete cascade,
      workspace_id uuid not null,
      index int not null,
      characters int not null,
      budget_tokens bigint not null,
      content bytea,
      report jsonb,
      primary key (compression_id, index)
    );
  `);
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
