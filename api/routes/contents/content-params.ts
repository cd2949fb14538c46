import { z } from 'zod';
import { Id } from '#domain/records/fields.ts';

/** Path parameters of the routes of one content. */
export const ContentParams = z.object({ content_id: Id });
