import { encodeCursor, type CursorBinding } from '#domain/cursor.ts';

/** How a page is cut from the rows that a store returned. */
export type PageCut<Row> = {
  /** Rows of a page. The store was asked for one more, which shows that there is a next page. */
  limit: number;
  binding: CursorBinding;
  /** The key values of a row that the list is ordered by: its cursor stands behind it. */
  positionOf: (row: Row) => readonly (string | number)[];
};

/** What every answer of a cursor list says about the page after it. */
export type NextPage = { next_cursor: string | null; has_more: boolean };

/** Splits `limit + 1` rows into the rows of a page and the cursor of the next one, null on the last page. */
export function paginate<Row>(
  rows: readonly Row[],
  { limit, binding, positionOf }: PageCut<Row>,
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
