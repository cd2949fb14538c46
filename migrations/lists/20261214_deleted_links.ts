import type { Knex } from 'knex';

/**
 * A content that is removed from a collection can be added again as long as another collection has it, with a run that is not of the
 * upload which first brought it. The progress of that upload counts it by its row then (`is_foreign`), as its manifest lists it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(DELETED);
}

const DELETED = `
  create or replace function count_deleted_contents() returns trigger language plpgsql as $$
  declare removed record;
  begin
    insert into content_count_changes (workspace_id, collection_id, upload_id, status_before, contents, chunks, bytes)
      select o.workspace_id, o.collection_id, (select u.id from uploads u where u.id = o.upload_id and u.is_counted),
        case when o.paused then 'paused' else o.stage end, count(*), - sum(o.chunk_count),
        - coalesce(sum((select t.size from contents t where t.id = o.content_id)), 0)
      from old_rows o group by o.workspace_id, o.collection_id, o.upload_id, 4;
    for removed in
      select o.upload_id, array_agg(o.content_id order by o.content_id) as content_ids from old_rows o
      where o.upload_id is not null and o.is_shared group by 1 order by 1
    loop
      update upload_contents set is_foreign = true
        where upload_id = removed.upload_id and content_id = any(removed.content_ids) and not is_foreign;
    end loop;
    return null;
  end $$;`;

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
