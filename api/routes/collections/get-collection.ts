import { z } from 'zod';
import { Collection } from '#domain/records/collection.ts';
import { Id } from '#domain/records/fields.ts';
import { getCollection } from '#operations/collections/get-collection.ts';
import { route } from '#api/http/route.ts';

export const getCollectionRoute = route(
  {
    method: 'get',
    path: '/collections/{collection_id}',
    tag: 'Collections',
    summary: 'Get a collection',
    permission: 'collections:read',
    params: z.object({ collection_id: Id }),
    response: Collection,
    extension: true,
  },
  async ({ services, caller, params }) => getCollection(services, caller, params.collection_id),
);
