import { Collection } from '#domain/records/collection.ts';
import { JsonObject } from '#domain/records/fields.ts';
import { setCollectionStats } from '#operations/collections/update-collection.ts';
import { Reply } from '#api/http/response/reply.ts';
import { route } from '#api/http/route.ts';
import { CollectionParams } from '#api/routes/path-params.ts';

export const setCollectionStatsRoute = route(
  {
    method: 'put',
    path: '/collections/{collection_id}/stats',
    tag: 'Collections',
    summary: 'Update collection stats',
    description:
      'Replaces the statistics that clients store in `stats`. The keys `contents`, ' +
      '`contents_by_status`, `chunks` and `bytes` always have the values that the service computes.',
    permission: 'collections:write',
    params: CollectionParams,
    body: JsonObject,
    response: Collection,
    idempotent: true,
    otherStatuses: { 409: 'The collection is archived' },
  },
  async ({ services, caller, params, body, idempotency }) => {
    const change = { id: params.collection_id, stats: body, idempotency };
    return Reply.json((await setCollectionStats(services, caller, change)).body);
  },
);
