import { z } from 'zod';
import { Id } from '#domain/records/fields.ts';

export const CompressParams = z.object({ job_id: Id });
