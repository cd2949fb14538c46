import { z } from 'zod';
import { ContentVersionList } from '#domain/records/content.ts';
import { Id } from '#domain/records/fields.ts';
import { listContentVersions } from '#operations/contents/list-content-versions.ts';
import { exampleIds } from '#api/examples/example-ids.ts';
import { route } from '#api/http/route.ts';
import { ContentParams } from '#api/routes/path-params.ts';

const Query = z.object({
  collection_id: Id.meta({
    description:
      'Collection whose versions are returned. A content is ingested into each of its collections by itself.',
    examples: [exampleIds.collection],
  }),
});

export const listContentVersionsRoute = route(
  {
    method: 'get',
    path: '/contents/{content_id}/versions',
    tag: 'Contents',
    summary: 'List the versions of a content',
    description:
      'When each version was published and by which upload. Only the present version can be read and searched: text, chunks and ' +
      'vectors of the ones before are deleted when they are replaced.',
    permission: 'contents:read',
    params: ContentParams,
    query: Query,
    response: ContentVersionList,
    extension: true,
  },
  async ({ services, caller, params, query }) =>
    listContentVersions(services, caller, { contentId: params.content_id, collectionId: query.collection_id }),
);
