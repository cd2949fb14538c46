import { z } from 'zod';
import { CursorQueryField, queryInteger } from '#api/http/request/query-fields.ts';

export const PageQuery = z.object({
  limit: queryInteger({ min: 1, max: 1000 }).default(100),
  cursor: CursorQueryField,
});
