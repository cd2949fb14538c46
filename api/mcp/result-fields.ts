import { z } from 'zod';
import { AppError } from '#domain/app-error.ts';
import { parseFilter } from '#domain/filters/parse-filter.ts';

/** Arguments and fields of results that several tools have. Without ids: references in a schema confuse some clients. */

export const IdArgument = z.uuid().toLowerCase();
export const CollectionIds = z.array(IdArgument).max(50).default([]).meta({
  description: 'Ids of the collections to look in, at most 50, from list_collections. Empty: every one that you reach.',
});
export const Filters = z
  .record(z.string(), z.unknown())
  .superRefine(checkFilter)
  .default({})
  .meta({
    description:
      'Conditions on fields and metadata of contents, such as {"lang": "en", "year": {"$gte": 2020}}. Operators: $eq $ne $gt $gte ' +
      '$lt $lte $in $nin $exists $contains, combined by $and $or $not.',
  });
export const Cursor = z
  .string()
  .min(1)
  .max(2048)
  .optional()
  .meta({ description: 'next_cursor of the previous result, with otherwise the same arguments.' });

export const ContentNameField = z.string().meta({ description: 'Its name; for a downloaded page its URL.' });
export const CollectionNameField = z
  .string()
  .nullable()
  .meta({ description: 'Its name; null if you may not read collections.' });
export const NextCursor = z
  .string()
  .nullable()
  .meta({ description: 'Send it as cursor for the next page; null on the last one.' });
export const Note = z
  .string()
  .nullable()
  .meta({ description: 'What was left out, and how to go on; null when there is nothing to say.' });

function checkFilter(filters: Record<string, unknown>, context: z.core.$RefinementCtx): void {
  try {
    parseFilter(filters, []);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    for (const { loc, msg, type } of error.issues) {
      context.addIssue({ code: 'custom', path: loc, message: msg, params: { type } });
    }
  }
}
