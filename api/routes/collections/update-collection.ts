import { Collection, UpdateCollectionRequest } from '#domain/records/collection.ts';
import { updateCollection } from '#operations/collections/update-collection.ts';
import { route } from '#api/http/route.ts';
import { CollectionParams } from '#api/routes/path-params.ts';

export const updateCollectionRoute = route(
  {
    method: 'patch',
    path: '/collections/{collection_id}',
    tag: 'Collections',
    summary: 'Update a collection',
    description: 'Fields that are absent stay unchanged. An object or a list replaces the previous one as a whole.',
    permission: 'collections:write',
    params: CollectionParams,
    body: UpdateCollectionRequest,
    response: Collection,
    extension: true,
    otherStatuses: { 409: 'The collection is archived' },
  },
  async ({ services, caller, params, body }) =>
    updateCollection(services, caller, { id: params.collection_id, fields: body }),
);
