import { z } from 'zod';

/** What every page of a cursor list says about the page after it. */
export const NEXT_PAGE = { next_cursor: z.string().nullable(), has_more: z.boolean() };

/** The answer of a cursor list: a page of items, how many there are in all, and the cursor of the next page. */
export function cursorListOf<Item extends z.ZodType>(item: Item) {
  return z.object({ data: z.array(item), total_count: z.int(), ...NEXT_PAGE });
}
