import type { Knex } from 'knex';

/**
 * Counts of contents that the transactions keep which change them. A trigger writes what a statement has changed to
 * `content_count_changes`, and the worker adds that to `collection_counts` and `upload_counts`, one row for each status and one
 * (`all`) for the sum. Rows of changes are only ever inserted, so nobody waits for a counter. A count is the sum of both tables.
 * Only uploads with `is_counted` have counts: small ones are counted when asked for. `is_foreign`: an upload has a content whose
 * run is of another upload. `is_shared`: the content is, or was, in several collections. `bucket` is the status of a run as lists
 * look it up: null when it is ready, the same for all stages of one in progress, so that these remain cheap updates.
 * `is_status_written`: a client wrote a status of the content, which may differ from that of its run.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(TABLES);
  await knex.raw(INSERTED);
  await knex.raw(UPDATED);
  await knex.raw(DELETED);
  await knex.raw(TRIGGERS);
}

const TABLES = `
  alter table content_collections add column is_shared boolean not null default false, add column bucket text;
  alter table contents add column is_status_written boolean not null default false;
  alter table uploads add column is_counted boolean not null default false;
  alter table upload_contents add column is_foreign boolean not null default false;

  -- Their collection refers to the workspace, too; each reference costs a lock of the row for every insert.
  alter table content_collections drop constraint content_collections_workspace_id_fkey;
  alter table contents drop constraint contents_workspace_id_fkey;
  alter table uploads drop constraint uploads_workspace_id_fkey;

  create table content_count_changes (
    workspace_id uuid not null,
    -- Null: only counts of the upload change.
    collection_id uuid,
    upload_id uuid,
    status_before text,
    status_after text,
    contents int not null,
    chunks bigint not null,
    bytes bigint not null
  );
  -- Its rows live for a second: all are read, so it has neither a key nor an index, which would be most of what is written.
  alter table content_count_changes set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
  alter table content_count_changes replica identity full;

  create table collection_counts (
    collection_id uuid not null,
    status text not null,
    workspace_id uuid not null,
    contents bigint not null,
    chunks bigint not null,
    bytes bigint not null,
    -- Of the row 'all': when it was last compared with the rows.
    checked_at timestamptz not null default now(),
    primary key (collection_id, status)
  ) with (fillfactor = 70);
  create index on collection_counts (workspace_id, status, collection_id);
  create index on collection_counts (checked_at) where status = 'all';

  create table upload_counts (
    upload_id uuid not null,
    status text not null,
    workspace_id uuid not null,
    contents bigint not null,
    chunks bigint not null,
    primary key (upload_id, status)
  ) with (fillfactor = 70);
  create index on upload_counts (workspace_id);

  do $$
  declare name text;
  declare allowed constant text := 'case when coalesce(current_setting(''loci.workspace'', true), '''') = '''' then true
    else workspace_id = current_setting(''loci.workspace'')::uuid end';
  begin
    foreach name in array array['content_count_changes', 'collection_counts', 'upload_counts'] loop
      execute format('alter table %I enable row level security', name);
      execute format('create policy workspace on %I using (%s) with check (%s)', name, allowed, allowed);
    end loop;
  end $$;

  create function content_bucket(paused boolean, stage text) returns text language sql immutable parallel safe as $$
    select case when paused then 'paused' when stage = 'ready' then null
      when stage in ('pending', 'downloading', 'reading', 'splitting', 'indexing') then 'working' else stage end
  $$;
  create function set_content_bucket() returns trigger language plpgsql as $$
  begin
    new.bucket := content_bucket(new.paused, new.stage);
    return new;
  end $$;`;

/**
 * A connection keeps the plans of these functions, made for the number of rows that its first statement changed. So they join the
 * changed rows with nothing, neither with each other nor with tables: each row, or each group, looks up what it needs by key
 * (`offset 0` keeps that from becoming a join). A statement of many rows takes time in proportion, whatever came before it.
 */
const INSERTED = `
  create function count_inserted_contents() returns trigger language plpgsql as $$
  declare shared uuid[];
  begin
    insert into content_count_changes (workspace_id, collection_id, upload_id, status_after, contents, chunks, bytes)
      select n.workspace_id, n.collection_id, (select u.id from uploads u where u.id = n.upload_id and u.is_counted),
        case when n.paused then 'paused' else n.stage end, count(*), sum(n.chunk_count),
        coalesce(sum((select t.size from contents t where t.id = n.content_id)), 0)
      from new_rows n group by n.workspace_id, n.collection_id, n.upload_id, 4;
    shared := array(select distinct n.content_id from new_rows n where exists (
      select from content_collections o where o.content_id = n.content_id and o.collection_id <> n.collection_id offset 0
    ) order by 1);
    if cardinality(shared) > 0 then
      update content_collections set is_shared = true where content_id = any(shared) and not is_shared;
    end if;
    return null;
  end $$;`;

/** Each row counts as one less of what it was and one more of what it is; what has not changed adds up to nothing. */
const UPDATED = `
  create function count_updated_contents() returns trigger language plpgsql as $$
  declare moved record;
  begin
    insert into content_count_changes (workspace_id, collection_id, upload_id, status_after, contents, chunks, bytes)
      select g.workspace_id, g.collection_id, g.counted_id, g.status, sum(g.contents), sum(g.chunks), 0
      from (
        select x.workspace_id, x.collection_id, x.status, sum(x.contents) as contents, sum(x.chunks) as chunks,
          (select u.id from uploads u where u.id = x.upload_id and u.is_counted) as counted_id
        from (
          select workspace_id, collection_id, upload_id, case when paused then 'paused' else stage end as status,
            -1 as contents, - chunk_count as chunks from old_rows
          union all select workspace_id, collection_id, upload_id, case when paused then 'paused' else stage end,
            1, chunk_count from new_rows
        ) x group by x.workspace_id, x.collection_id, x.upload_id, x.status having sum(x.contents) <> 0 or sum(x.chunks) <> 0
      ) g group by 1, 2, 3, 4 having sum(g.contents) <> 0 or sum(g.chunks) <> 0;
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

const DELETED = `
  create function count_deleted_contents() returns trigger language plpgsql as $$
  begin
    insert into content_count_changes (workspace_id, collection_id, upload_id, status_before, contents, chunks, bytes)
      select o.workspace_id, o.collection_id, (select u.id from uploads u where u.id = o.upload_id and u.is_counted),
        case when o.paused then 'paused' else o.stage end, count(*), - sum(o.chunk_count),
        - coalesce(sum((select t.size from contents t where t.id = o.content_id)), 0)
      from old_rows o group by o.workspace_id, o.collection_id, o.upload_id, 4;
    return null;
  end $$;

  create function count_resized_content() returns trigger language plpgsql as $$
  begin
    insert into content_count_changes (workspace_id, collection_id, contents, chunks, bytes)
      select workspace_id, collection_id, 0, 0, coalesce(new.size, 0) - coalesce(old.size, 0)
      from content_collections where content_id = new.id;
    return null;
  end $$;`;

const TRIGGERS = `
  create trigger set_bucket before insert or update of stage, paused on content_collections
    for each row execute function set_content_bucket();
  create trigger count_inserted after insert on content_collections referencing new table as new_rows
    for each statement execute function count_inserted_contents();
  create trigger count_updated after update on content_collections referencing old table as old_rows new table as new_rows
    for each statement execute function count_updated_contents();
  create trigger count_deleted after delete on content_collections referencing old table as old_rows
    for each statement execute function count_deleted_contents();
  create trigger count_resized after update of size on contents for each row when (new.size is distinct from old.size)
    execute function count_resized_content();`;

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
