import type { Knex } from 'knex';

/** When each tenant of the index was used, so that idle ones can be taken out of memory. Not written with each use. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table tenant_activity (
      tenant text not null,
      provider text not null,
      model text not null,
      model_hash text not null,
      dimensions int not null,
      workspace_id uuid not null,
      used_at timestamptz not null default now(),
      deactivated_at timestamptz,
      primary key (tenant, provider, model, model_hash, dimensions)
    );
    create index on tenant_activity (used_at) where deactivated_at is null;
    create index on tenant_activity (workspace_id);
    alter table tenant_activity enable row level security;
    create policy workspace on tenant_activity
      using (case when coalesce(current_setting('loci.workspace', true), '') = '' then true
        else workspace_id = current_setting('loci.workspace')::uuid end)
      with check (case when coalesce(current_setting('loci.workspace', true), '') = '' then true
        else workspace_id = current_setting('loci.workspace')::uuid end);
  `);
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
