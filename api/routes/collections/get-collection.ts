import { Collection } from '#domain/records/collection.ts';
import { getCollection } from '#operations/collections/collections.ts';
import { route } from '#api/http/route.ts';
import { CollectionParams } from '#api/routes/path-params.ts';

export const getCollectionRoute = route(
  {
    method: 'get',
    path: '/collections/{collection_id}',
    tag: 'Collections',
    summary: 'Get a collection',
    permission: 'collections:read',
    params: CollectionParams,
    response: Collection,
    extension: true,
  },
  async ({ services, caller, params }) => getCollection(services, caller, params.collection_id),
);
