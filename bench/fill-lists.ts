import { query, type Database } from '#store/postgres.ts';

export type Fill = { workspaceId: string; collectionIds: readonly string[]; rows: number };

/**
 * Inserts published contents with one chunk each, the same number into every collection, in mixed order. Writes directly to the
 * tables, because lists read only rows, and ingesting that many contents would take an hour.
 */
export async function fillCollections(database: Database, { workspaceId, collectionIds, rows }: Fill): Promise<void> {
  const bindings = { workspaceId, collectionIds, rows };
  await query(
    database,
    `create table filled as select gen_random_uuid() as content_id, collection_id, number,
       now() - interval '1 day' + number * interval '1 millisecond' as created_at
     from (
       select c.id as collection_id, (row - 1) * cardinality(:collectionIds::uuid[]) + c.place as number
       from generate_series(1, :rows::int) as row cross join unnest(:collectionIds::uuid[]) with ordinality as c(id, place)
     ) mixed order by number`,
    bindings,
  );
  await query(
    database,
    `insert into contents (id, workspace_id, collection_id, name, metadata, type, size, status, sync_status,
       content_hash, source, created_at)
     select content_id, :workspaceId, collection_id, number || '.txt', '{"lang":"en","year":2026}', 'text/plain', 700, 'ready',
       'synced', md5(number::text), 'file', created_at from filled order by number`,
    bindings,
  );
  await query(
    database,
    `insert into content_collections (content_id, collection_id, workspace_id, run_id, stage, reader, version, active_version,
       chunk_count, planned_chunks, indexed_chunks, publish_seq, created_at)
     select content_id, collection_id, :workspaceId, gen_random_uuid(), 'ready', 'native', 1, 1, 1, 1, 1, number, created_at
     from filled order by number`,
    bindings,
  );
  await query(
    database,
    `insert into chunks (id, workspace_id, content_id, collection_id, version, chunk_index, content, context, size, tokens,
       metadata, created_at)
     select gen_random_uuid(), :workspaceId, content_id, collection_id, 1, 0, repeat(md5(number::text) || ' ', 21), '', 700, 200,
       '{"page":1,"heading_path":[],"start":0,"end":693,"tokens":200}', created_at from filled order by number`,
    bindings,
  );
  await query(database, `drop table filled`);
  // Statistics as in a database that has been in use for a while.
  await query(database, `vacuum analyze contents, content_collections, chunks`);
}

/** Inserts two conversations with `rows` messages each. Returns the id of the first. */
export async function fillConversation(
  database: Database,
  { workspaceId, rows }: Omit<Fill, 'collectionIds'>,
): Promise<string> {
  const [first] = await query<{ id: string }>(
    database,
    `insert into conversations (workspace_id, message_count) values (:workspaceId, :rows), (:workspaceId, :rows) returning id`,
    { workspaceId, rows },
  );
  await query(
    database,
    `insert into messages (conversation_id, workspace_id, seq, content, role, message_type, checksum, sent_at, created_at)
     select c.id, c.workspace_id, number, repeat(md5(number::text) || ' ', 6), 'user', 'text', md5(number::text), now(), now()
     from generate_series(1, :rows::int) as number cross join conversations c
     where c.workspace_id = :workspaceId order by number`,
    { workspaceId, rows },
  );
  await query(database, `vacuum analyze conversations, messages`);
  if (!first) throw new Error('insert returned no row');
  return first.id;
}
