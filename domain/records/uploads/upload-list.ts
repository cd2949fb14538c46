import { z } from 'zod';
import { newestListOf } from '#domain/records/cursor-list.ts';
import { UploadProgress } from '#domain/records/upload.ts';

/** An upload in a list: its progress, without its contents, rejected items and crawls. */
export const UploadSummary = UploadProgress.omit({
  crawls: true,
  errors: true,
  contents: true,
  next_cursor: true,
  has_more: true,
})
  .extend({
    name: z
      .string()
      .nullable()
      .meta({ description: 'Name of its first content, of those that are not deleted; null when none is left.' }),
    crawls: z.int().meta({ description: 'Number of its crawls.' }),
  })
  .meta({ id: 'UploadSummary' });
export type UploadSummary = z.infer<typeof UploadSummary>;

export const UploadList = newestListOf(UploadSummary).meta({ id: 'UploadList' });
export type UploadList = z.infer<typeof UploadList>;
