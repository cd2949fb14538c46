import { z } from 'zod';
import { Id } from '#domain/records/fields.ts';

/** Path parameters of the routes of one collection. */
export const CollectionParams = z.object({ collection_id: Id });
