import { CollectionList } from '#domain/records/collection.ts';
import { Id, textField } from '#domain/records/fields.ts';
import { COLLECTION_STATUSES } from '#domain/statuses.ts';
import { listCollections } from '#operations/collections/collections.ts';
import { z } from 'zod';
import { CursorQueryField, pageLimit } from '#api/http/request/query-fields.ts';
import { route } from '#api/http/route.ts';

const Query = z.object({
  status: z.enum(COLLECTION_STATUSES).optional().meta({ description: 'Status of the collections.' }),
  visibility: z.enum(['private', 'public']).optional().meta({ description: 'Visibility of the collections.' }),
  tag: textField(100).optional().meta({ description: 'Tag that the collections have.' }),
  parent_id: Id.optional().meta({ description: 'Parent of the collections.' }),
  search: textField(255).optional().meta({ description: 'Text that the name contains, ignoring case.' }),
  limit: pageLimit({ max: 1000, standard: 100 }),
  cursor: CursorQueryField,
});

export const listCollectionsRoute = route(
  {
    method: 'get',
    path: '/collections',
    tag: 'Collections',
    summary: 'List collections',
    permission: 'collections:read',
    query: Query,
    response: CollectionList,
    extension: true,
  },
  async ({ services, caller, query }) => listCollections(services, caller, query),
);
