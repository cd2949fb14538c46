import type { Knex } from 'knex';

/**
 * Receivers of webhooks as circuits. A receiver is a webhook, or the origin of the `webhook_url` of requests within a workspace.
 * It has a row in `webhook_receivers` only while something is wrong with it; a healthy one has none. Deliveries wait in the order
 * of `due_at`; further attempts need no workflow of their own, so the running ones (`deliverWebhook`) are woken and end.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table webhook_deliveries
      add column receiver_id uuid not null
        generated always as (coalesce(endpoint_id, md5(workspace_id::text || origin)::uuid)) stored,
      -- When the event was announced, or the delivery queued again. Its age counts from here.
      add column queued_at timestamptz not null default now(),
      -- The end of the last attempt, if it failed for a reason that concerns the receiver and not this message.
      add column unhealthy_at timestamptz;

    -- Sent to see whether a broken receiver works again; it is none of the attempts of the schedule.
    alter table webhook_attempts add column is_probe boolean not null default false;

    drop index webhook_deliveries_pending;
    drop index webhook_deliveries_leased;
    create index webhook_deliveries_waiting on webhook_deliveries (receiver_id, due_at, id)
      where status in ('pending', 'retrying');
    create index webhook_deliveries_aging on webhook_deliveries (receiver_id, queued_at)
      where status in ('pending', 'retrying');
    create index webhook_deliveries_leased on webhook_deliveries (receiver_id) where leased_until is not null;
    create index webhook_deliveries_unhealthy on webhook_deliveries (receiver_id, unhealthy_at)
      where status = 'retrying' and unhealthy_at is not null;

    alter table webhook_endpoints
      -- Waiting deliveries that are older end as failed; null: only those of a broken receiver do, after the sum of the delays.
      add column max_age_seconds int,
      -- Most content events in one message.
      add column batch_size int not null default 1,
      -- Deliveries that were queued before this time are being ended; nothing is sent until that is done.
      add column drop_before timestamptz;
    create index on webhook_endpoints (id) where drop_before is not null;

    drop table webhook_origins;
    create table webhook_receivers (
      -- The \`receiver_id\` of its deliveries.
      id uuid primary key,
      workspace_id uuid not null,
      state text not null default 'closed' check (state in ('closed', 'open', 'half_open')),
      -- Failed attempts in a row, repeated ones of the same delivery counted once.
      failures int not null default 0,
      last_failed_id uuid,
      failing_since timestamptz,
      -- Deliveries that may be sent at the same time.
      slots int not null,
      -- Nothing is sent before; of an open circuit, the time of the next probe.
      next_attempt_at timestamptz,
      -- Identifies the workflow that probes an open circuit: the time of its opening in milliseconds.
      outage bigint,
      updated_at timestamptz not null default now(),
      check ((state = 'open') = (outage is not null))
    );
    create index on webhook_receivers (workspace_id);
    create index on webhook_receivers (updated_at) where state <> 'open';
    create index on webhook_receivers (id) where state = 'open';

    delete from outbox where workflow_type = 'deliverWebhook' and state = 'pending';
    insert into wakes (workflow_id, workspace_id, wake_id)
      select o.workflow_id, o.workspace_id, gen_random_uuid() from outbox o join workspaces w on w.id = o.workspace_id
      where o.workflow_type = 'deliverWebhook'
      on conflict (workflow_id) do nothing;
  `);
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
