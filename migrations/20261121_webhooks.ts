import type { Knex } from 'knex';

/**
 * Webhooks. A delivery is written in the transaction that makes its event true, with the bytes that every attempt sends; a row
 * of `webhook_attempts` is written before each send. `attempts` is the fence: what an attempt that was given up finds out
 * later changes nothing but its own row. `round` counts redeliveries, `round_attempts` the attempts of this one.
 * `webhook_origins` has the receivers that fail, with the time until which they are left alone.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table webhook_endpoints (
      id uuid primary key,
      workspace_id uuid not null references workspaces,
      url text not null,
      origin text not null,
      description text,
      -- Null: every event but those of single contents.
      events text[],
      -- Null: events of every collection.
      collections uuid[],
      status text not null default 'active' check (status in ('active', 'disabled')),
      disabled_reason text check (disabled_reason in ('request', 'gone')),
      sealed_secret text not null,
      previous_sealed_secret text,
      previous_secret_until timestamptz,
      created_by text,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    );
    create index on webhook_endpoints (workspace_id, created_at, id);

    -- Signs what goes to the \`webhook_url\` of a request.
    create table webhook_secrets (
      workspace_id uuid primary key references workspaces,
      sealed_secret text not null,
      previous_sealed_secret text,
      previous_secret_until timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    );

    create table webhook_deliveries (
      id uuid primary key default uuidv7(),
      workspace_id uuid not null,
      -- Null for the \`webhook_url\` of a request. The log outlives its webhook.
      endpoint_id uuid,
      url text,
      origin text not null,
      collections uuid[],
      event_type text not null,
      body text not null,
      status text not null default 'pending' check (status in ('pending', 'retrying', 'delivered', 'failed')),
      status_message text,
      attempts int not null default 0,
      round int not null default 1,
      round_attempts int not null default 0,
      due_at timestamptz not null default now(),
      leased_until timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      check ((endpoint_id is null) = (url is not null))
    );
    create index on webhook_deliveries (workspace_id, created_at, id);
    create index on webhook_deliveries (endpoint_id, created_at, id);
    create index webhook_deliveries_pending on webhook_deliveries (workspace_id, origin, due_at) where status = 'pending';
    create index webhook_deliveries_leased on webhook_deliveries (workspace_id, origin) where leased_until is not null;
    create index webhook_deliveries_over on webhook_deliveries (updated_at) where status in ('delivered', 'failed');

    create table webhook_attempts (
      delivery_id uuid not null references webhook_deliveries on delete cascade,
      number int not null,
      workspace_id uuid not null,
      started_at timestamptz not null default clock_timestamp(),
      finished_at timestamptz,
      status_code int,
      error text,
      primary key (delivery_id, number)
    );

    create table webhook_origins (
      workspace_id uuid not null,
      origin text not null,
      -- In a row.
      failures int not null,
      open_until timestamptz,
      updated_at timestamptz not null default now(),
      primary key (workspace_id, origin)
    );
    create index on webhook_origins (updated_at);
  `);
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
