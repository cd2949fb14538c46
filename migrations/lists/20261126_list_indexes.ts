import type { Knex } from 'knex';
import { changeInPages, createIndexOnline, dropIndexOnline } from './online.ts';

/** Each statement is a transaction of its own: large tables stay writable meanwhile, and an interrupted run begins again. */
export const config = { transaction: false };

/** Counts and indexes of what is there already, for lists and counts that read what they return only. */
export async function up(knex: Knex): Promise<void> {
  await changeInPages(knex, FILL_LINKS, NO_UUID);
  await changeInPages(knex, FIND_WRITTEN, NO_UUID);
  await knex.transaction(async (transaction) => {
    for (const statement of COUNT) await transaction.raw(statement);
  });
  for (const [name, definition] of Object.entries(INDEXES)) await createIndexOnline(knex, name, definition);
  for (const name of REPLACED) await dropIndexOnline(knex, name);
}

const NO_UUID = '00000000-0000-0000-0000-000000000000';

/** The content of a link `cc` is in several collections. */
const HAS_ANOTHER = `exists (select from content_collections another
  where another.content_id = cc.content_id and another.collection_id <> cc.collection_id)`;

/** A page ends with a content, never between its runs. */
const FILL_LINKS = `
  with page as (
    select content_id from content_collections where content_id > :after::uuid order by content_id limit 5000
  ), outdated as (
    select content_id, collection_id from content_collections cc
    where content_id in (select content_id from page)
      and (bucket is distinct from content_bucket(paused, stage) or not is_shared and ${HAS_ANOTHER})
    order by content_id, collection_id for update
  ), filled as (
    update content_collections cc set bucket = content_bucket(cc.paused, cc.stage), is_shared = cc.is_shared or ${HAS_ANOTHER}
    from outdated o where cc.content_id = o.content_id and cc.collection_id = o.collection_id
  )
  select max(content_id::text) as last from page`;

/** A status that is not that of the run in the home collection was written by a client. */
const FIND_WRITTEN = `
  with page as (
    select id, collection_id, status, is_status_written from contents where id > :after::uuid order by id limit 5000
  ), written as (
    select t.id from contents t join page using (id)
    join content_collections cc on cc.content_id = page.id and cc.collection_id = page.collection_id
    where not page.is_status_written and page.status <> case when cc.paused then 'paused' else cc.stage end
    order by t.id for no key update of t
  ), marked as (
    update contents t set is_status_written = true from written where t.id = written.id
  )
  select max(id::text) as last from page`;

/**
 * In one transaction, also when it runs again: what is counted already is replaced. The lock keeps changes from being added to the
 * counts meanwhile; it is taken before the statement that counts, which sees rows and changes of one moment. The worker's daily
 * check finds these counts due.
 */
const COUNT = [
  `lock table collection_counts in share row exclusive mode`,
  `delete from collection_counts`,
  `insert into collection_counts (collection_id, status, workspace_id, contents, chunks, bytes, checked_at)
  select collection_id, status, workspace_id, sum(contents), sum(chunks), sum(bytes), 'epoch' from (
    select cc.collection_id, counted.status, cc.workspace_id, count(*) as contents,
      sum(case when counted.status = 'all' then cc.chunk_count else 0 end) as chunks,
      sum(case when counted.status = 'all' then coalesce(t.size, 0) else 0 end) as bytes
    from content_collections cc join contents t on t.id = cc.content_id
    cross join lateral (values ('all'), (case when cc.paused then 'paused' else cc.stage end)) counted(status) group by 1, 2, 3
    union all select d.collection_id, part.status, d.workspace_id, - part.contents, - part.chunks, - part.bytes
    from content_count_changes d cross join lateral (values
      (d.status_before, - d.contents, 0, 0), (d.status_after, d.contents, 0, 0),
      ('all', case when d.status_before is null then d.contents when d.status_after is null then - d.contents else 0 end,
        d.chunks, d.bytes)) part(status, contents, chunks, bytes)
    where d.collection_id is not null and part.status is not null
  ) parts group by 1, 2, 3 having (sum(contents), sum(chunks), sum(bytes)) <> (0, 0, 0)`,
];

/** The text of a run in progress had an index, because of which every update that reads a file wrote to all others. */
const REPLACED = [
  'content_collections_workspace_id_text_sha256_idx',
  'content_collections_workspace_id_active_text_sha256_idx',
  'contents_workspace_id_content_hash_idx',
];

const INDEXES = {
  content_collections_bucket:
    'content_collections (collection_id, bucket, created_at, content_id) where bucket is not null',
  content_collections_shared: 'content_collections (workspace_id, content_id, collection_id) where is_shared',
  // Of hashes only whether they are equal is asked.
  content_collections_active_text:
    'content_collections using hash (active_text_sha256) where active_text_sha256 is not null',
  contents_hash: 'contents using hash (content_hash) where content_hash is not null',
  contents_status_written: 'contents (workspace_id, created_at, id) where is_status_written',
  upload_contents_foreign: 'upload_contents (upload_id, content_id) where is_foreign',
  webhook_deliveries_status: 'webhook_deliveries (workspace_id, status, created_at, id)',
  webhook_deliveries_endpoint_status: 'webhook_deliveries (endpoint_id, status, created_at, id)',
  memories_type: 'memories (workspace_id, memory_type, created_at, id)',
  deletions_completed: 'deletions (completed_at) where completed_at is not null',
  memories_user_type: 'memories (workspace_id, user_id, memory_type, created_at, id)',
};

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
