import { z } from 'zod';
import { cursorListOf } from '#domain/records/cursor-list.ts';
import { Content } from '#domain/records/content.ts';
import { Id, textField } from '#domain/records/fields.ts';
import { CONTENT_STATUSES } from '#domain/statuses.ts';
import { listContents } from '#operations/contents/contents.ts';
import { CursorQueryField, pageLimit } from '#api/http/request/query-fields.ts';
import { route } from '#api/http/route.ts';

const Query = z.object({
  collection_id: Id.optional().meta({ description: 'Collection that has the contents.' }),
  status: z.enum(CONTENT_STATUSES).optional().meta({ description: 'Status of the contents.' }),
  search: textField(255).optional().meta({ description: 'Text that the name contains, ignoring case.' }),
  linked_to: Id.optional().meta({
    description: 'Archive, e-mail or crawled page in which the contents were found.',
  }),
  limit: pageLimit({ max: 1000, standard: 100 }),
  cursor: CursorQueryField,
});

const ContentList = cursorListOf(Content).meta({ id: 'ContentList' });

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
  async ({ services, caller, query }) => listContents(services, caller, query),
);
