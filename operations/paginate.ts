import { encodeCursor, type CursorBinding } from '#domain/cursor.ts';

/** How a page is taken from the rows that a store returned. */
export type PageOptions<Row> = {
  /** Rows per page. The store returns one row more when there is a next page. */
  limit: number;
  binding: CursorBinding;
  /** Returns the values of a row that the list is ordered by; they become the cursor. */
  positionOf: (row: Row) => readonly (string | number)[];
};

/** What every response of a list with cursors says about the next page. */
export type NextPage = { next_cursor: string | null; has_more: boolean };

/** Splits `limit + 1` rows into the rows of a page and the cursor of the next one, null on the last page. */
export function paginate<Row>(
  rows: readonly Row[],
  { limit, binding, positionOf }: PageOptions<Row>,
): { page: Row[]; next: NextPage } {
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return {
    page,
    next: {
      next_cursor: last === undefined ? null : encodeCursor(binding, positionOf(last)),
      has_more: last !== undefined,
    },
  };
}
