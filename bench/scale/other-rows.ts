import type { FillStatement } from './content-rows.ts';

const WORKSPACE = `(select workspace_id from filled_collections limit 1)`;
const AGE = `now() - interval '20 days'`;

/** Memories, conversations, jobs, deliveries, residues, stored answers. */
export const OTHER_STATEMENTS: readonly FillStatement[] = [
  {
    // The first of a thousand users has a third of them; one in fifty belongs to the team.
    what: 'memories',
    sql: `insert into memories (id, workspace_id, user_id, memory_type, version, created_by, created_at)
      select uuidv7(), ${WORKSPACE}, 'user-' || (1 + floor(1000 * power(random(), 6)))::int,
        case when number % 50 = 0 then 'team' else 'user' end, 1, 'key', ${AGE} + number * interval '1 second'
      from generate_series(1, :memories::int) number`,
  },
  {
    // One in sixteen is to be indexed.
    what: 'versions of memories',
    sql: `insert into memory_versions (memory_id, version, workspace_id, object_id, memory, valid_from, index_state, index_space,
        index_due_at)
      select id, 1, workspace_id, uuidv7(), repeat(md5(id::text) || ' ', 3), created_at,
        case when is_pending then 'none' else 'current' end, case when is_pending then null else 'lexical' end, created_at
      from (select *, get_byte(uuid_send(id), 15) < 16 as is_pending from memories) m order by created_at`,
  },
  {
    // One title in a thousand has a word of its own; one conversation in a thousand is about the smallest collection.
    what: 'conversations',
    sql: `insert into conversations (workspace_id, title, title_key, collections, created_at)
      select ${WORKSPACE}, title, title, case when number % 1000 = 7 then array(select id from filled_collections order by place
        desc limit 1) else array(select id from filled_collections order by place limit 1) end, ${AGE} + number * interval '1 second'
      from (select number, case when number % 1000 = 7 then 'zebra crossing' else md5(number::text) end as title
        from generate_series(1, :contents::int) number) titled`,
  },
  {
    // One in ten is to be started.
    what: 'jobs',
    sql: `insert into outbox (workspace_id, workflow_type, workflow_id, task_queue, args, summary, state, next_attempt_at)
      select ${WORKSPACE}, 'ingestBatch', 'ingest/' || number, 'ingest', jsonb_build_object('upload_id', uuidv7()), '',
        case when number % 10 = 0 then 'pending' else 'started' end, ${AGE}
      from generate_series(1, :contents::int) number`,
  },
  {
    what: 'deliveries',
    sql: `with endpoint as (
        insert into webhook_endpoints (id, workspace_id, url, origin, sealed_secret)
        values (uuidv7(), ${WORKSPACE}, 'https://example.org/hook', 'https://example.org', 'x') returning id)
      insert into webhook_deliveries (workspace_id, endpoint_id, origin, event_type, body, status, attempts, due_at, created_at)
      select ${WORKSPACE}, endpoint.id, 'https://example.org', 'content.ready', '{}',
        case when number % 1000 = 7 then 'failed' else 'delivered' end, 1, ${AGE}, ${AGE} + number * interval '1 second'
      from endpoint, generate_series(1, :deliveries::int) number`,
  },
  {
    // Most delete a content of one of two collections; one in a hundred goes on.
    what: 'deletions',
    sql: `insert into deletions (workspace_id, kind, subject_id, collection_id, status, created_by, user_id, created_at)
      select ${WORKSPACE}, kind, uuidv7(), case when kind <> 'user_memories' then collection_id end,
        case when number % 100 = 7 then 'running' else 'completed' end, 'creator-' || number % 3,
        case when kind = 'user_memories' then 'user-' || number % 9 end, ${AGE} + number * interval '1 second'
      from (select number, case when number % 200 = 3 then 'collection' when number % 50 = 1 then 'user_memories' else 'content' end
        as kind, (array(select id from filled_collections order by place limit 2))[1 + number % 2] as collection_id
        from generate_series(1, :contents::int) number) numbered`,
  },
  {
    what: 'compressions',
    sql: `insert into compressions (id, workspace_id, status, strategy, include_metadata, webhook_url, input_sha256, input_bytes,
        created_by, windows_total, created_at)
      select uuidv7(), ${WORKSPACE}, case when number % 1000 = 7 then 'failed' else 'completed' end, 'extractive', false, '', '', 1,
        'creator-' || number % 3, 1, ${AGE} + number * interval '1 second' from generate_series(1, :contents::int) number`,
  },
  {
    what: 'changes of embedders',
    sql: `insert into reembeddings (workspace_id, collection_id, status, generation, from_space, to_space, created_at)
      select ${WORKSPACE}, (array(select id from filled_collections order by place limit 2))[1 + number % 2],
        case when number % 1000 = 7 then 'failed' else 'completed' end, number, '{}', '{}', ${AGE} + number * interval '1 second'
      from generate_series(1, :contents::int) number`,
  },
  {
    what: 'residues',
    sql: `insert into residues (content_id, collection_id, workspace_id, due_at)
      select content_id, collection_id, workspace_id, now() - interval '1 minute' from filled_contents
      where stage = 'deleting' or number % 10 = 0`,
  },
  {
    what: 'stored answers',
    sql: `insert into idempotency_keys (workspace_id, principal, key, route, fingerprint, status, answer, expires_at)
      select ${WORKSPACE}, 'key', 'request ' || number, 'POST /upload', md5(number::text), 202, repeat('x', 200), ${AGE}
      from generate_series(1, :contents::int / 5) number`,
  },
];
