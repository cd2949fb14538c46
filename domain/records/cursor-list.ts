import { z } from 'zod';

/** Fields with which a page of a cursor list refers to the next page. */
export const NEXT_PAGE = { next_cursor: z.string().nullable(), has_more: z.boolean() };

/** Returns the schema of a cursor list: a page of items, the total number of items, and the cursor of the next page. */
export function cursorListOf<Item extends z.ZodType>(item: Item) {
  return z.object({ data: z.array(item), total_count: z.int(), ...NEXT_PAGE });
}
