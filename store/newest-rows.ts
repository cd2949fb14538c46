import type { TimePosition } from '#domain/cursor.ts';
import { queryPage, rowBytes, type Page } from './page.ts';
import type { Bindings, Database } from './postgres.ts';

/** A page of a list newest first: what is older than a position, null for the first page. */
export type NewestPage = { before: TimePosition | null; limit: number };

/** A record of a list with its position. */
export type Listed<Record> = { id: string; created_us: number; record: Record };

/**
 * Some of the rows `r` of a table. With the values of `from`, `where` has to fix all columns of an index before
 * `created_at, id`, so that no more rows are read of it than a page shows.
 */
export type ListPart = { from: string; where: string };

/** A list of the rows `r` of a table that are in any of the parts. `texts`: columns that can be large. */
type NewestList = { table: string; columns: string; texts?: readonly string[]; parts: readonly ListPart[] };

/**
 * Statement of the ids, as `listed_id`, of a page of rows and one more, newest first, merged from its parts. Requires
 * `:pageLimit` and what `bindPosition` returns.
 */
export function newestIds(table: string, parts: readonly ListPart[]): string {
  const merged = parts.map(
    ({ from, where }) => `select one.* from ${from} cross join lateral (
      select r.id as listed_id, r.created_at as listed_at from ${table} r where ${where} and (:beforeUs::bigint is null
        or (r.created_at, r.id) < (to_timestamp(0) + :beforeUs * interval '1 microsecond', :beforeId::uuid))
      order by r.created_at desc, r.id desc limit :pageLimit::bigint + 1) one`,
  );
  return `select listed_id from (${merged.join(' union ')}) merged order by listed_at desc, listed_id desc
    limit :pageLimit::bigint + 1`;
}

export function bindPosition(before: TimePosition | null) {
  return { beforeUs: before?.createdUs, beforeId: before?.id };
}

/** Returns a page of a list, newest first; each row with its position. */
export function queryNewestRows<Row extends object>(
  database: Database,
  { table, columns, texts = [], parts }: NewestList,
  { page: { before, limit }, ...bindings }: Bindings & { page: NewestPage },
): Promise<Page<Row & { created_us: number }>> {
  const list = `select ${columns}, (extract(epoch from r.created_at) * 1000000)::bigint as created_us, ${rowBytes({ texts })}
    from (${newestIds(table, parts)}) listed
    cross join lateral (select * from ${table} where id = listed_id offset 0) r
    order by r.created_at desc, r.id desc`;
  const statement = { list, order: 'created_us desc, id desc', limit };
  return queryPage(database, statement, { ...bindings, ...bindPosition(before) });
}
