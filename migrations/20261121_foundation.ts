import type { Knex } from 'knex';

/**
 * Workspaces, keys, collections, contents with their runs, chunks, and the bookkeeping that makes work durable.
 * `content_collections` is the heart: the run that owns a content in a collection (`run_id`, the fence), its stage,
 * its version under way, the version that is published, and the number that orders publications.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table workspaces (
      id uuid primary key default uuidv7(),
      name text not null,
      publish_counter bigint not null default 0,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    );

    create table api_keys (
      id uuid primary key default uuidv7(),
      workspace_id uuid not null references workspaces,
      key text not null unique,
      label text,
      hashed_secret text not null,
      status text not null default 'active' check (status in ('active', 'revoked')),
      permissions text[] not null,
      ip_whitelist text[],
      collections uuid[],
      created_by text,
      expires_at timestamptz,
      last_used_at timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    );
    create index on api_keys (workspace_id, created_at, id);

    create table collections (
      id uuid primary key default uuidv7(),
      workspace_id uuid not null references workspaces,
      name text not null,
      description text,
      store_type text not null default 'weaviate',
      visibility text not null default 'private' check (visibility in ('private', 'public')),
      status text not null default 'active' check (status in ('active', 'archived', 'deleting')),
      tags text[] not null default '{}',
      parent_id uuid references collections,
      stats jsonb not null default '{}',
      meta_data jsonb not null default '{}',
      settings jsonb not null default '{}',
      source_type text not null default 'document',
      source_id text,
      created_by text,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    );
    create index on collections (workspace_id, created_at, id);

    create table index_generations (
      id uuid primary key default uuidv7(),
      workspace_id uuid not null references workspaces,
      collection_id uuid not null references collections,
      number int not null,
      tenant text not null unique,
      status text not null check (status in ('building', 'active', 'retired')),
      provider text not null,
      model text not null,
      model_hash text not null,
      dimensions int not null,
      created_at timestamptz not null default now(),
      unique (collection_id, number)
    );
    create unique index index_generations_one_active on index_generations (collection_id) where status = 'active';

    create table uploads (
      id uuid primary key default uuidv7(),
      workspace_id uuid not null references workspaces,
      collection_id uuid not null references collections,
      content_type text not null,
      ingest boolean not null,
      workflow_id text,
      total_uploads int not null,
      failed_uploads int not null,
      errors jsonb not null default '[]',
      created_by text,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    );
    create index on uploads (workspace_id, created_at, id);

    create table upload_contents (
      upload_id uuid not null references uploads,
      content_id uuid not null,
      workspace_id uuid not null references workspaces,
      primary key (upload_id, content_id)
    );
    create index on upload_contents (content_id);

    create table blobs (
      workspace_id uuid not null references workspaces,
      sha256 text not null,
      size_bytes bigint not null,
      created_at timestamptz not null default now(),
      last_used_at timestamptz not null default now(),
      primary key (workspace_id, sha256)
    );

    create table contents (
      id uuid primary key default uuidv7(),
      workspace_id uuid not null references workspaces,
      collection_id uuid not null references collections,
      name text not null,
      description text,
      metadata jsonb not null default '{}',
      type text,
      size bigint,
      status text not null,
      sync_status text not null default 'never',
      status_message text,
      content_hash text,
      file_data jsonb not null default '{}',
      definition text,
      external_id text,
      config jsonb not null default '{}',
      linked_to uuid,
      access_count bigint not null default 0,
      source text not null check (source in ('file', 'url', 'text')),
      url text,
      created_by text,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    );
    create index on contents (workspace_id, created_at, id);
    create index on contents (workspace_id, content_hash);

    create table content_collections (
      content_id uuid not null references contents,
      collection_id uuid not null references collections,
      workspace_id uuid not null references workspaces,
      upload_id uuid,
      run_id uuid not null,
      workflow_id text,
      stage text not null,
      stage_message text,
      failure_code text,
      paused boolean not null default false,
      reader text not null,
      dead_attempts smallint not null default 0,
      version int not null default 0,
      active_version int,
      chunk_count int not null default 0,
      planned_chunks int,
      indexed_chunks int not null default 0,
      publish_seq bigint,
      text_sha256 text, active_text_sha256 text,
      dedupe_key text, external_id text,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (content_id, collection_id)
    );
    create unique index content_collections_dedupe on content_collections (collection_id, dedupe_key) where dedupe_key is not null;
    create unique index content_collections_external on content_collections (collection_id, external_id) where external_id is not null;
    create index on content_collections (run_id, content_id);
    create index on content_collections (upload_id, content_id);
    create index on content_collections (workspace_id, publish_seq) include (collection_id, chunk_count) where active_version is not null;
    create index on content_collections (collection_id, publish_seq) include (chunk_count) where active_version is not null;
    create index on content_collections (collection_id, content_id);
    create index on content_collections (workspace_id, text_sha256);
    create index on content_collections (workspace_id, active_text_sha256);

    create table chunks (
      id uuid primary key,
      workspace_id uuid not null,
      content_id uuid not null,
      collection_id uuid not null,
      version int not null,
      chunk_index int not null,
      content text not null, context text not null,
      size int not null,
      tokens int not null,
      metadata jsonb not null,
      created_at timestamptz not null default now(),
      unique (content_id, collection_id, version, chunk_index),
      foreign key (content_id, collection_id) references content_collections
    );

    create table outbox (
      id bigint generated always as identity primary key,
      workspace_id uuid not null,
      workflow_type text not null,
      workflow_id text not null unique,
      task_queue text not null,
      args jsonb not null,
      summary text not null,
      state text not null default 'pending' check (state in ('pending', 'started')),
      attempts int not null default 0,
      next_attempt_at timestamptz not null default now() + interval '2 seconds',
      checked_at timestamptz,
      last_error text,
      created_at timestamptz not null default now()
    );
    create index on outbox (next_attempt_at) where state = 'pending';
    create index on outbox (checked_at) where state = 'started';

    create table deletions (
      id uuid primary key default uuidv7(),
      workspace_id uuid not null references workspaces,
      kind text not null,
      subject_id uuid not null,
      collection_id uuid,
      status text not null default 'pending' check (status in ('pending', 'running', 'completed')),
      contents int not null default 0,
      chunks int not null default 0,
      index_objects int not null default 0,
      blobs int not null default 0,
      verified_at timestamptz,
      completed_at timestamptz,
      created_at timestamptz not null default now()
    );
    create index on deletions (workspace_id, subject_id);

    create table residues (
      content_id uuid not null,
      collection_id uuid not null,
      workspace_id uuid not null,
      passes smallint not null default 0,
      due_at timestamptz not null default now(),
      created_at timestamptz not null default now(),
      primary key (content_id, collection_id)
    );
    create index on residues (due_at);

    create table idempotency_keys (
      workspace_id uuid not null references workspaces,
      principal text not null,
      key text not null,
      route text not null,
      fingerprint text not null,
      status int not null,
      answer text not null,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      primary key (workspace_id, principal, key)
    );
    create index on idempotency_keys (expires_at);
  `);
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
