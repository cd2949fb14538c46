import type { Knex } from 'knex';

/**
 * A statement that takes contents from one status to another, as most do, writes one row of changes instead of two: what left the one
 * status and arrived in the other. Whoever adds up the rows has always known both forms. As in `20261126_content_counts`, nothing is
 * joined: the groups of one collection and upload are looked at together.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(UPDATED);
}

const UPDATED = `
  create or replace function count_updated_contents() returns trigger language plpgsql as $$
  declare moved record;
  begin
    insert into content_count_changes (workspace_id, collection_id, upload_id, status_before, status_after, contents, chunks, bytes)
      select w.workspace_id, w.collection_id, w.counted_id, case when w.is_move then w.left_status end, w.status, w.contents,
        case when w.is_move then w.all_chunks else w.chunks end, 0
      from (
        select g.*, min(g.status) filter (where g.contents < 0) over of_upload as left_status,
          sum(g.chunks) over of_upload as all_chunks,
          count(*) over of_upload = 2 and sum(g.contents) over of_upload = 0 and max(g.contents) over of_upload > 0 as is_move
        from (
          select s.workspace_id, s.collection_id, s.counted_id, s.status, sum(s.contents) as contents, sum(s.chunks) as chunks
          from (
            select x.workspace_id, x.collection_id, x.status, sum(x.contents) as contents, sum(x.chunks) as chunks,
              (select u.id from uploads u where u.id = x.upload_id and u.is_counted) as counted_id
            from (
              select workspace_id, collection_id, upload_id, case when paused then 'paused' else stage end as status,
                -1 as contents, - chunk_count as chunks from old_rows
              union all select workspace_id, collection_id, upload_id, case when paused then 'paused' else stage end,
                1, chunk_count from new_rows
            ) x group by x.workspace_id, x.collection_id, x.upload_id, x.status having sum(x.contents) <> 0 or sum(x.chunks) <> 0
          ) s group by 1, 2, 3, 4 having sum(s.contents) <> 0 or sum(s.chunks) <> 0
        ) g window of_upload as (partition by g.workspace_id, g.collection_id, g.counted_id)
      ) w where not w.is_move or w.contents > 0;
    -- The run of a content belongs to another upload now.
    for moved in
      select m.upload_id, array_agg(m.content_id order by m.content_id) as content_ids from (
        select upload_id, content_id from old_rows where upload_id is not null except select upload_id, content_id from new_rows
      ) m group by 1 order by 1
    loop
      update upload_contents set is_foreign = true
        where upload_id = moved.upload_id and content_id = any(moved.content_ids) and not is_foreign;
    end loop;
    return null;
  end $$;`;

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
