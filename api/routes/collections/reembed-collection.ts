import { Reembedding, ReembedRequest } from '#domain/records/reindexing.ts';
import type { ControlAction } from '#domain/uploads/ingest-jobs.ts';
import { controlReembedding } from '#operations/index/control-reembedding.ts';
import { getReembedding, reembedCollection } from '#operations/index/reembed-collection.ts';
import { Reply } from '#api/http/response/reply.ts';
import { route } from '#api/http/route.ts';
import { CollectionParams } from '#api/routes/path-params.ts';

const path = '/collections/{collection_id}/reembed';

export const reembedCollectionRoute = route(
  {
    method: 'post',
    path,
    tag: 'Collections',
    summary: 'Change the embedder of a collection',
    description:
      'Builds a search index with another of the configured embedders beside the present one, and switches searches to it when ' +
      'it is complete. Searches, uploads and deletions go on meanwhile. Chunks stay as they are.',
    permission: 'collections:write',
    params: CollectionParams,
    body: ReembedRequest,
    response: Reembedding,
    status: 202,
    otherSuccesses: { 200: 'The collection has this embedder already; nothing is done.' },
    otherStatuses: { 409: 'The collection is archived, or its embedder is being changed.' },
    extension: true,
    idempotent: true,
  },
  async ({ services, caller, params, body, idempotency }) => {
    const change = { collectionId: params.collection_id, body, idempotency };
    const answer = await reembedCollection(services, caller, change);
    return Reply.json(answer.body, { status: answer.status });
  },
);

export const getReembeddingRoute = route(
  {
    method: 'get',
    path,
    tag: 'Collections',
    summary: 'Get the progress of a change of embedder',
    description: 'The change in progress, or the last one; 404 when there was none.',
    permission: 'collections:read',
    params: CollectionParams,
    response: Reembedding,
    extension: true,
  },
  async ({ services, caller, params }) => getReembedding(services, caller, params.collection_id),
);

export const pauseReembeddingRoute = controlRoute('pause', 'Pause a change of embedder');
export const resumeReembeddingRoute = controlRoute('resume', 'Resume a paused change of embedder');
export const cancelReembeddingRoute = controlRoute('cancel', 'Cancel a change of embedder');

function controlRoute(action: ControlAction, summary: string) {
  return route(
    {
      method: 'post',
      path: `${path}/${action}`,
      tag: 'Collections',
      summary,
      permission: 'collections:write',
      params: CollectionParams,
      response: Reembedding,
      otherStatuses: { 409: 'It is over, or searches use the new index already.' },
      extension: true,
      idempotent: true,
    },
    async ({ services, caller, params, idempotency }) =>
      controlReembedding(services, caller, { collectionId: params.collection_id, action, idempotency }),
  );
}
