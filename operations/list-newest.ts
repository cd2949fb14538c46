import { decodeTimeCursor, type CursorBinding } from '#domain/cursor.ts';
import type { NewestPage } from '#store/newest-rows.ts';
import type { Page } from '#store/page.ts';
import { paginate, type NextPage } from './paginate.ts';

/** What every request for a list newest first has. */
export type NewestQuery = { limit: number; cursor?: string | undefined };

/** A row with its position in the list. */
type Positioned = { id: string; created_us: number };

/** Reads a page of a list newest first, and makes the cursor of the next one. @throws AppError `validation_failed` for a foreign cursor. */
export async function listNewest<Row extends Positioned>(
  { limit, cursor }: NewestQuery,
  binding: CursorBinding,
  read: (page: NewestPage) => Promise<Page<Row>>,
): Promise<{ page: Row[]; next: NextPage }> {
  const rows = await read({ before: decodeTimeCursor(binding, cursor), limit });
  return paginate(rows, { binding, positionOf: ({ created_us, id }) => [created_us, id] });
}
