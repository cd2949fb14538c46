import { z } from 'zod';
import { Id } from '#domain/records/fields.ts';

/** Path parameters of the routes of one upload. */
export const UploadParams = z.object({ upload_id: Id });
