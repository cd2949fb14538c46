import { DeletionAccepted } from '#domain/records/deletion.ts';
import { deleteCollection } from '#operations/collections/delete-collection.ts';
import { route } from '#api/http/route.ts';
import { CollectionParams } from '#api/routes/path-params.ts';

export const deleteCollectionRoute = route(
  {
    method: 'delete',
    path: '/collections/{collection_id}',
    tag: 'Collections',
    summary: 'Delete a collection',
    description:
      'Deletes the collection and every content that is in no other collection. They become ' +
      'inaccessible immediately. `GET /deletions/{deletion_id}` returns the receipt.',
    permission: 'collections:delete',
    params: CollectionParams,
    response: DeletionAccepted,
    status: 202,
    extension: true,
  },
  async ({ services, caller, params }) => deleteCollection(services, caller, params.collection_id),
);
