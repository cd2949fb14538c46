import { z } from 'zod';
import { CursorQueryField, pageLimit } from '#api/http/request/query-fields.ts';

export const PageQuery = z.object({
  limit: pageLimit({ max: 1000, standard: 100 }),
  cursor: CursorQueryField,
});
