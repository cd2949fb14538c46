import { query } from '#store/postgres.ts';
import type { Place } from './content-runs.ts';

/** Statistics and numbers that the database keeps. */
export async function countsOf({ stores, scope, collectionId }: Place) {
  const found = await stores.collections.find(scope, collectionId);
  const { contents_by_status, chunks, bytes } = found?.collection.stats ?? {};
  const { count } = await stores.contents.count(scope, { collectionId });
  return { contents_by_status, chunks, bytes, count };
}

/** The same, counted from the rows. */
export async function recount({ database, collectionId }: Place) {
  const [row] = await query<Record<string, unknown>>(
    database,
    `select coalesce(jsonb_object_agg(status, contents), '{}') as contents_by_status, coalesce(sum(chunks), 0)::int as chunks,
       coalesce(sum(bytes), 0)::int as bytes, coalesce(sum(contents), 0)::int as count from (
       select case when cc.paused then 'paused' else cc.stage end as status, count(*) as contents, sum(cc.chunk_count) as chunks,
         sum(t.size) as bytes
       from content_collections cc join contents t on t.id = cc.content_id where cc.collection_id = :collectionId group by 1) x`,
    { collectionId },
  );
  return row;
}
