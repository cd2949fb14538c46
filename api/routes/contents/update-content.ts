import { Content, UpdateContentRequest } from '#domain/records/content.ts';
import { updateContent } from '#operations/contents/update-content.ts';
import { route } from '#api/http/route.ts';
import { ContentParams } from '#api/routes/path-params.ts';

export const updateContentRoute = route(
  {
    method: 'patch',
    path: '/contents/{content_id}',
    tag: 'Contents',
    summary: 'Update content',
    description: [
      'Fields that are absent stay unchanged. `metadata` replaces the previous metadata as a whole. Search filters use a',
      'new name or new metadata as soon as `sync_status` is `synced` again. Nothing is embedded again.',
      '',
      '`status` and `sync_status` are stored as written and change nothing else; the next event of the content overwrites',
      'them. Exception: `sync_status: stale` writes the filter fields of the content to the index again.',
    ].join('\n'),
    permission: 'contents:write',
    params: ContentParams,
    body: UpdateContentRequest,
    response: Content,
    validationStatus: 400,
    otherStatuses: {
      409: 'The content is being deleted, all its collections are archived, or another content has its external_id',
    },
  },
  async ({ services, caller, params, body }) =>
    updateContent(services, caller, { id: params.content_id, fields: body }),
);
