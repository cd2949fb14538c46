import { z } from 'zod';

/** Fields with which a page of a cursor list refers to the next page. */
export const NEXT_PAGE = {
  next_cursor: z
    .string()
    .nullable()
    .meta({ description: 'Send it as `cursor`, with the same filters, to get the next page; null on the last one.' }),
  has_more: z.boolean().meta({ description: 'Whether there is another page.' }),
};

/** Number of records that a list has on all its pages. */
export const TotalCount = z.int().meta({ description: 'Number of records that match the filters, on all pages.' });

/** Returns the schema of a list newest first, of which nothing is counted. */
export function newestListOf<Item extends z.ZodType>(item: Item) {
  return z.object({ data: z.array(item).meta({ description: 'Records of this page, newest first.' }), ...NEXT_PAGE });
}

/** Returns the schema of a cursor list: a page of items, the total number of items, and the cursor of the next page. */
export function cursorListOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    data: z.array(item).meta({ description: 'Records of this page.' }),
    total_count: TotalCount,
    ...NEXT_PAGE,
  });
}

/** The same for lists of which not every number is counted. */
export function boundedListOf<Item extends z.ZodType>(item: Item) {
  return cursorListOf(item).extend({
    total_is_exact: z.boolean().meta({
      description: 'False: more than `total_count` records match the filters; they are not counted further than that.',
    }),
  });
}
