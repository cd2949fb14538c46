import type { Knex } from 'knex';

/**
 * A second wall between workspaces: while the setting `loci.workspace` of a connection names a workspace, statements on it see and
 * write rows of that workspace only, whatever their conditions. The setting is empty for work on all workspaces. `case` keeps
 * the planner's estimates: an equality would make every table look nearly empty. Owners and superusers are not subject to it, so
 * that a dump needs no option. Two tables are left out because their look-ups need indexes that Postgres does not use behind a
 * policy: trigrams of the titles of conversations, and an expression on the arguments of jobs.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    do $$
    declare
      place record;
      allowed text;
    begin
      for place in
        select c.table_name as name, c.column_name as key
        from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
        where c.table_schema = 'public' and t.table_type = 'BASE TABLE'
          and (c.column_name = 'workspace_id' or (c.table_name = 'workspaces' and c.column_name = 'id'))
          and c.table_name not in ('conversations', 'outbox')
      loop
        allowed := format(
          'case when coalesce(current_setting(''loci.workspace'', true), '''') = '''' then true
             else %I = current_setting(''loci.workspace'')::uuid end', place.key);
        execute format('alter table %I enable row level security', place.name);
        execute format('create policy workspace on %I using (%s) with check (%s)', place.name, allowed, allowed);
      end loop;
    end $$;
  `);
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
