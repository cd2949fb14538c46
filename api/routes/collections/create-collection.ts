import { Collection, CreateCollectionRequest } from '#domain/records/collection.ts';
import { createCollection } from '#operations/collections/create-collection.ts';
import { Reply } from '#api/http/response/reply.ts';
import { route } from '#api/http/route.ts';

export const createCollectionRoute = route(
  {
    method: 'post',
    path: '/collections',
    tag: 'Collections',
    summary: 'Create a collection',
    description: 'A collection holds contents that are searched together.',
    permission: 'collections:write',
    body: CreateCollectionRequest,
    response: Collection,
    status: 201,
    extension: true,
    idempotent: true,
  },
  async ({ services, caller, body, idempotency }) => {
    const { status, body: collection } = await createCollection(services, caller, { body, idempotency });
    return Reply.json(collection, { status });
  },
);
