import { z } from 'zod';
import { CONTENT_STATUSES } from '#domain/statuses.ts';
import { FailureCode, Id } from '#domain/records/fields.ts';

/** Absent in responses that were stored before it existed. */
const ExternalId = z.string().nullable().default(null).meta({
  description: 'Id of the item in its source system, as it was sent.',
  'x-loci-extension': true,
});

/** Null in responses and uploads that were stored before it existed. */
const ItemIndex = z
  .int()
  .min(0)
  .nullable()
  .default(null)
  .meta({
    description:
      'Position of the item in the request, from 0: files and texts as in the form, then URLs, as in `items`. Null for uploads of ' +
      'earlier versions.',
    'x-loci-extension': true,
  });

export const UploadItem = z
  .object({
    index: ItemIndex,
    content_id: Id.meta({ description: 'Content that holds the item.' }),
    name: z.string().meta({ description: 'File name, URL, or the name of the text.' }),
    external_id: ExternalId,
    source: z.enum(['file', 'url', 'text']).meta({ description: 'How the item was sent: as a file, a URL or a text.' }),
    type: z
      .string()
      .nullable()
      .meta({ description: 'Media type, detected from the bytes; null until the URL is downloaded.' }),
    size: z.int().nullable().meta({ description: 'Size in bytes; null until the URL is downloaded.' }),
    content_hash: z
      .string()
      .nullable()
      .meta({ description: 'SHA-256 of the bytes, in hexadecimal; null until the URL is downloaded.' }),
    status: z.enum(CONTENT_STATUSES).meta({ description: 'Status of the content at the time of the response.' }),
    duplicate: z.boolean().meta({ description: 'True when the collection already had this content.' }),
    replaced: z.boolean().default(false).meta({
      description:
        'True when the content with the same `external_id` gets other bytes, or another name, by this upload.',
      'x-loci-extension': true,
    }),
  })
  .meta({ id: 'UploadItem' });
export type UploadItem = z.infer<typeof UploadItem>;

export const UploadError = z
  .object({
    index: ItemIndex,
    name: z.string().meta({ description: 'File name, URL, or the name of the text.' }),
    external_id: ExternalId,
    source: z.enum(['file', 'url', 'text']).meta({ description: 'How the item was sent: as a file, a URL or a text.' }),
    code: FailureCode.meta({ description: 'Why the item was rejected, for programs.' }),
    message: z.string().meta({ description: 'Why the item was rejected and what to do, for people.' }),
  })
  .meta({ id: 'UploadError' });
export type UploadError = z.infer<typeof UploadError>;
