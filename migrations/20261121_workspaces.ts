import type { Knex } from 'knex';

/**
 * Deletable workspaces. A receipt outlives its workspace, and so does what is known of dropped tenants for a day. The memories
 * of a workspace have a tenant of one name in every embedding space.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table workspaces add column status text not null default 'active' check (status in ('active', 'deleting'));

    alter table deletions drop constraint deletions_workspace_id_fkey,
      add column collections int not null default 0,
      add column conversations int not null default 0,
      add column messages int not null default 0,
      add column memories int not null default 0;

    alter table dropped_tenants drop constraint dropped_tenants_pkey,
      add primary key (tenant, provider, model, model_hash, dimensions);
    create index on dropped_tenants (workspace_id);

    -- Its upload has one; and the end of a workspace would look through all of them.
    alter table upload_contents drop constraint upload_contents_workspace_id_fkey;
  `);
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
