import { encodeCursor, type CursorBinding } from '#domain/cursor.ts';
import type { Page } from '#store/page.ts';

/** How the cursor of the next page is made. */
export type PageOptions<Row> = {
  binding: CursorBinding;
  /** Returns the values of a row that the list is ordered by; they become the cursor. */
  positionOf: (row: Row) => readonly (string | number)[];
};

/** What every response of a list with cursors says about the next page. */
export type NextPage = { next_cursor: string | null; has_more: boolean };

/** Returns the rows of a page and the cursor of the next one, null on the last page. */
export function paginate<Row>(
  { rows, hasMore }: Page<Row>,
  { binding, positionOf }: PageOptions<Row>,
): { page: Row[]; next: NextPage } {
  const last = hasMore ? rows.at(-1) : undefined;
  return {
    page: rows,
    next: {
      next_cursor: last === undefined ? null : encodeCursor(binding, positionOf(last)),
      has_more: last !== undefined,
    },
  };
}
