import { z } from 'zod';
import { Id } from '#domain/records/fields.ts';

/** Path parameters of the routes of one connection. */
export const ConnectionParams = z.object({ connection_id: Id });
