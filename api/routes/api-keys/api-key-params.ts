import { z } from 'zod';
import { Id } from '#domain/records/fields.ts';

/** `/api-keys/{api_key_id}`: the record's id, not the public part of the key. */
export const ApiKeyParams = z.object({ api_key_id: Id });
