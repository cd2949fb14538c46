/** A statement that fills tables, with the sizes as bindings. */
export type FillStatement = { what: string; sql: string };

/** An id that grows with the number, as those of version 7 grow with the time. */
const uuidOf = (number: string) =>
  `(overlay(lpad(to_hex((${number})::bigint), 12, '0') placing '-' from 9 for 0) || '-7000-8000-000000000000')::uuid`;

const AGE = `now() - interval '90 days'`;

/** One workspace: collections, contents with runs and chunks, uploads. */
export const CONTENT_STATEMENTS: readonly FillStatement[] = [
  {
    what: 'collections',
    sql: `with workspace as (insert into workspaces (name) values ('scale') returning id)
      select id as workspace_id, number::int as place, ${uuidOf('number')} as id
      into filled_collections from workspace, generate_series(1, :collections::int) number`,
  },
  {
    what: 'collection rows',
    sql: `with added as (
        insert into collections (id, workspace_id, name, visibility, created_by, created_at)
        select id, workspace_id, 'collection ' || place, case when place % 2 = 0 then 'public' else 'private' end,
          'user-' || place % 100, ${AGE} + place * interval '1 second' from filled_collections returning id)
      insert into index_generations (workspace_id, collection_id, number, tenant, status, provider, model, model_hash, dimensions)
      select c.workspace_id, c.id, 1, c.id || '-1', 'active', 'lexical', 'lexical', 'x', 256 from filled_collections c`,
  },
  {
    // Two fifths in the first collection; the others by a power law.
    what: 'places of contents',
    sql: `select ${uuidOf('number + 1000000000')} as content_id, number::int as number, c.id as collection_id, c.workspace_id,
        ${AGE} + number * interval '0.1 second' as created_at,
        case when draw < 0.02 then 'failed' when draw < 0.03 then 'stored' when draw < 0.031 then 'cancelled'
          when draw < 0.032 then 'deleting' when draw < 0.04 then 'pending' else 'ready' end as stage,
        case when place.place = 1 then 0 else 1 + number / 500 end as upload
      into filled_contents
      from (select number, random() as draw, case when random() < 0.4 then 1
          else least(2 + floor((:collections::int - 1) * power(random(), 3)), :collections::int) end::int as place
        from generate_series(1, :contents::int) number) place
      join filled_collections c on c.place = place.place order by number`,
  },
  {
    what: 'uploads',
    sql: `select ${uuidOf('upload * 100000 + c.place')} as id, f.collection_id, f.upload, count(*) as total
      into filled_uploads from filled_contents f join filled_collections c on c.id = f.collection_id
      group by c.place, f.collection_id, f.upload`,
  },
  {
    what: 'upload rows',
    sql: `insert into uploads (id, workspace_id, collection_id, content_type, ingest, total_uploads, failed_uploads, created_at)
      select id, (select workspace_id from filled_collections limit 1), collection_id, 'file', true, total, 0, ${AGE}
      from filled_uploads`,
  },
  {
    what: 'contents',
    sql: `insert into contents (id, workspace_id, collection_id, name, metadata, type, size, status, sync_status, content_hash,
        file_data, config, source, created_at, updated_at)
      select content_id, workspace_id, collection_id, 'report ' || number || '.txt',
        jsonb_build_object('lang', 'en', 'year', 2000 + number % 25), 'text/plain', 700 + number % 900, stage,
        case when stage = 'ready' then 'synced' else 'never' end,
        encode(sha256(number::text::bytea), 'hex'), '{"characters":700,"words":120}', '{"reader":"native"}', 'file', created_at,
        created_at
      from filled_contents order by number`,
  },
  {
    what: 'runs',
    sql: `insert into content_collections (content_id, collection_id, workspace_id, upload_id, run_id, stage, reader, version,
        active_version, chunk_count, planned_chunks, indexed_chunks, publish_seq, text_sha256, active_text_sha256, dedupe_key,
        created_at, updated_at, bucket)
      select f.content_id, f.collection_id, f.workspace_id, u.id, u.id, f.stage, 'native', 1,
        case when f.stage = 'ready' then 1 end, case when f.stage = 'ready' then chunks.count else 0 end, chunks.count,
        chunks.count, case when f.stage = 'ready' then f.number end, hash.text, hash.text, hash.text, f.created_at, f.created_at,
        content_bucket(false, f.stage)
      from filled_contents f join filled_uploads u on u.collection_id = f.collection_id and u.upload = f.upload
      cross join lateral (select encode(sha256(f.number::text::bytea), 'hex') as text) hash
      cross join lateral (select (:chunks::int / :contents::int)::int as count) chunks order by f.number`,
  },
  {
    // One in five hundred is in a second collection, too.
    what: 'shared contents',
    sql: `insert into content_collections (content_id, collection_id, workspace_id, run_id, stage, bucket, is_shared, reader, version,
        created_at)
      select f.content_id, c.id, f.workspace_id, f.content_id, 'stored', 'stored', true, 'native', 1,
        f.created_at + interval '1 day'
      from filled_contents f join filled_collections c on c.place = 3 + f.number / 500 % 50 and c.id <> f.collection_id
      where f.number % 500 = 0`,
  },
  {
    what: 'marks of shared contents',
    sql: `update content_collections set is_shared = true
      where content_id in (select content_id from content_collections where is_shared) and not is_shared`,
  },
  {
    what: 'contents of uploads',
    sql: `insert into upload_contents (upload_id, content_id, workspace_id)
      select u.id, f.content_id, f.workspace_id from filled_contents f
      join filled_uploads u on u.collection_id = f.collection_id and u.upload = f.upload order by 1, 2`,
  },
  {
    what: 'chunks',
    sql: `insert into chunks (id, workspace_id, content_id, collection_id, version, chunk_index, content, context, size, tokens,
        metadata)
      select ${uuidOf('f.number::bigint * 4096 + place')}, f.workspace_id, f.content_id, f.collection_id, 1, place,
        repeat(md5(f.number::text) || ' ', 4), '', 132, 40, '{"page":1}'
      from filled_contents f cross join generate_series(0, :chunks::int / :contents::int - 1) place
      order by f.number, place`,
  },
];
