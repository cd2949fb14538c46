import { z } from 'zod';
import { AppError, validationError } from '#domain/app-error.ts';
import { readsChunk, type Filter } from '#domain/filters/filter.ts';
import { parseFilter } from '#domain/filters/parse-filter.ts';
import { boundedListOf } from '#domain/records/cursor-list.ts';
import { Content } from '#domain/records/content.ts';
import { Id, textField } from '#domain/records/fields.ts';
import { CONTENT_STATUSES } from '#domain/statuses.ts';
import { listContents } from '#operations/contents/contents.ts';
import { CursorQueryField, pageLimit } from '#api/http/request/query-fields.ts';
import { whileConnected } from '#api/http/request/while-connected.ts';
import { route } from '#api/http/route.ts';

/** What fits into a URL that every proxy passes on. */
const MAX_FILTER_CHARACTERS = 4096;

const Query = z.object({
  collection_id: Id.optional().meta({ description: 'Collection that has the contents.' }),
  status: z.enum(CONTENT_STATUSES).optional().meta({ description: 'Status of the contents.' }),
  search: textField(255).optional().meta({ description: 'Text that the name contains, ignoring case.' }),
  linked_to: Id.optional().meta({
    description: 'Archive, e-mail or crawled page in which the contents were found.',
  }),
  filters: z
    .string()
    .min(1)
    .max(MAX_FILTER_CHARACTERS)
    .transform(parseFilters)
    .optional()
    .meta({
      contentMediaType: 'application/json',
      description:
        'Conditions in the grammar of search, as JSON: `{"lang": "en", "size": {"$gt": 1000}}`. Conditions on `chunk.*` are for ' +
        'searches only. Each response looks at up to 5,000 contents, so a page may have fewer than `limit` contents, or none, ' +
        'while `has_more` is true.',
    }),
  limit: pageLimit({ max: 1000, standard: 100 }),
  cursor: CursorQueryField,
});

/** Problems are reported together with those of the other parameters. */
function parseFilters(text: string, context: z.core.$RefinementCtx): Filter | null {
  try {
    const filter = parseFilter(parseJson(text), []);
    if (filter === null || !readsChunk(filter)) return filter;
    context.addIssue({
      code: 'custom',
      message: 'Conditions on chunk.* are for searches: a content has many chunks',
      params: { type: 'unknown_field' },
    });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    for (const { loc, msg, type } of error.issues) {
      context.addIssue({ code: 'custom', path: loc, message: msg, params: { type } });
    }
  }
  return z.NEVER;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw validationError([{ loc: [], msg: 'must be a JSON object, such as {"lang": "en"}', type: 'filter_type' }]);
  }
}

const ContentList = boundedListOf(Content).meta({ id: 'ContentList' });

export const listContentsRoute = route(
  {
    method: 'get',
    path: '/contents',
    tag: 'Contents',
    summary: 'List contents',
    permission: 'contents:read',
    query: Query,
    response: ContentList,
    extension: true,
  },
  async ({ services, caller, query, context }) =>
    query.filters
      ? whileConnected(context, (signal) => listContents(services, caller, { ...query, signal }))
      : listContents(services, caller, query),
);
