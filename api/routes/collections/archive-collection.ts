import { Collection } from '#domain/records/collection.ts';
import { archiveCollection } from '#operations/collections/update-collection.ts';
import { Reply } from '#api/http/response/reply.ts';
import { route } from '#api/http/route.ts';
import { CollectionParams } from '#api/routes/path-params.ts';

const shared = {
  method: 'post',
  tag: 'Collections',
  permission: 'collections:write',
  params: CollectionParams,
  response: Collection,
  idempotent: true,
} as const;

export const archiveCollectionRoute = route(
  {
    ...shared,
    path: '/collections/{collection_id}/archive',
    summary: 'Archive collection',
    description:
      'An archived collection can be read and searched, but not changed. Ingestion that is already running is completed.',
  },
  async ({ services, caller, params, idempotency }) => {
    const archiving = { id: params.collection_id, action: 'archive', idempotency } as const;
    return Reply.json((await archiveCollection(services, caller, archiving)).body);
  },
);

export const unarchiveCollectionRoute = route(
  {
    ...shared,
    path: '/collections/{collection_id}/unarchive',
    summary: 'Unarchive collection',
    description: 'The collection can be changed again.',
    extension: true,
  },
  async ({ services, caller, params, idempotency }) => {
    const archiving = { id: params.collection_id, action: 'unarchive', idempotency } as const;
    return Reply.json((await archiveCollection(services, caller, archiving)).body);
  },
);
