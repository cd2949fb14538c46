import { z } from 'zod';
import { AppError } from '#domain/app-error.ts';
import { parseFilter } from '#domain/filters/parse-filter.ts';
import { CHUNK_FIELDS } from '#domain/records/chunk.ts';

/** Arguments and fields of results that several tools have. Without ids: references in a schema confuse some clients. */

export const IdArgument = z.uuid().toLowerCase();
export const CollectionIds = z.array(IdArgument).max(50).default([]).meta({
  description: 'Where to look, from list_collections. Empty: every collection that you reach.',
});
export const Filters = z
  .record(z.string(), z.unknown())
  .superRefine(checkFilter)
  .default({})
  .meta({
    description:
      'Conditions on fields and metadata, such as {"lang": "en", "year": {"$gte": 2020}}. Operators: $eq $ne $gt $gte $lt $lte ' +
      '$in $nin $exists $contains $and $or $not.',
  });
export const Cursor = z
  .string()
  .min(1)
  .max(2048)
  .optional()
  .meta({ description: 'next_cursor of the previous result; the other arguments stay the same.' });

/** For a downloaded page its URL. */
export const ContentNameField = z.string();
/** Null if the caller may not read collections. */
export const CollectionNameField = z.string().nullable();
/** Null on the last page. */
export const NextCursor = z.string().nullable();
/** A status; as a text, because `list_contents` lists all of them. */
export const ContentStatusField = z.string();
/** What was left out, and how to go on; null when there is nothing to say. It explains itself. */
export const Note = z.string().nullable();

function checkFilter(filters: Record<string, unknown>, context: z.core.$RefinementCtx): void {
  try {
    parseFilter(filters, [], CHUNK_FIELDS);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    for (const { loc, msg, type } of error.issues) {
      context.addIssue({ code: 'custom', path: loc, message: msg, params: { type } });
    }
  }
}
