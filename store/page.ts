import { query, type Bindings, type Database } from './postgres.ts';

/** A page of a list. `hasMore`: rows follow it. */
export type Page<Row> = { rows: Row[]; hasMore: boolean };

/**
 * A page ends after the row with which its texts and JSON values reach this size, whatever its limit: rows of a megabyte would
 * otherwise fill the memory of the process and hold up its event loop while they are written as JSON.
 */
export const MAX_PAGE_BYTES = 1024 * 1024;

/** Bytes of a row without its large columns, roughly. */
const OTHER_BYTES = 256;

/** `texts` and `json`: columns of the list that can be large. */
export function rowBytes({ texts = [], json = [] }: { texts?: readonly string[]; json?: readonly string[] }): string {
  // The length of a text is known without reading it; that of JSON is only known once it is unpacked.
  const sizes = [...texts, ...json.map((column) => `${column}::text`)];
  return `${OTHER_BYTES}${sizes.map((column) => ` + coalesce(octet_length(${column}), 0)`).join('')} as row_bytes`;
}

export type PageStatement = {
  /** A `select` with an `order by` and without a `limit`, with a column `row_bytes`. */
  list: string;
  /** The same order in columns of its result. It must be unique. */
  order: string;
  /** Most rows of the page. */
  limit: number;
  /** Of a list that is read often, whose statement is always the same: it is prepared (see `PreparedStatement`). */
  name?: string | undefined;
};

/** Returns the rows of a list up to a limit or until they reach `MAX_PAGE_BYTES`, but at least one if there is any. */
export async function queryPage<Row extends object>(
  database: Database,
  { list, order, limit, name }: PageStatement,
  bindings: Bindings,
): Promise<Page<Row>> {
  const sql = `select * from (
       select listed.*, row_number() over page as page_row, count(*) over () as page_listed,
         sum(row_bytes) over page - row_bytes as page_bytes_before
       from (${list} limit :pageLimit::bigint + 1) listed window page as (order by ${order})
     ) measured where page_row <= :pageLimit and page_bytes_before < ${MAX_PAGE_BYTES} order by page_row`;
  const statement = name === undefined ? sql : { name, sql };
  const rows = await query<Row & PageColumns>(database, statement, { ...bindings, pageLimit: limit });
  return { rows: rows.map(withoutPageColumns), hasMore: rows.length < (rows[0]?.page_listed ?? 0) };
}

type PageColumns = { row_bytes: number; page_row: number; page_listed: number; page_bytes_before: number };

function withoutPageColumns<Row extends object>(row: Row & PageColumns): Row {
  const { row_bytes: _bytes, page_row: _row, page_listed: _listed, page_bytes_before: _before, ...rest } = row;
  // TypeScript cannot express that what is left is the row.
  return rest as unknown as Row;
}

/** Takes a page of small rows from a statement that returned one row more than `limit` if there are more. */
export function pageOf<Row>(rows: readonly Row[], limit: number): Page<Row> {
  return { rows: rows.slice(0, limit), hasMore: rows.length > limit };
}

/** Converts the rows of a page. */
export function mapPage<Row, Result>({ rows, hasMore }: Page<Row>, convert: (row: Row) => Result): Page<Result> {
  return { rows: rows.map(convert), hasMore };
}

/** The number of rows of a list, up to a limit; not exact when there are more. */
export type BoundedCount = { count: number; isExact: boolean };

/** Rows of a small size are counted up to this number. */
export const MAX_COUNTED = 10_000;

/** From the number of rows that a statement found, which looked for one more than `limit`. */
export function boundedCount(found: number, limit: number): BoundedCount {
  return { count: Math.min(found, limit), isExact: found <= limit };
}
