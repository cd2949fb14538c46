import { Content, UpdateContentRequest } from '#domain/records/content.ts';
import { updateContent } from '#operations/contents/update-content.ts';
import { route } from '#api/http/route.ts';
import { ContentParams } from './content-params.ts';

export const updateContentRoute = route(
  {
    method: 'patch',
    path: '/contents/{content_id}',
    tag: 'Contents',
    summary: 'Update content',
    description: [
      'Only fields that are sent change; `metadata` that is sent replaces the one before. Filters find the content by a new name',
      'or new metadata as soon as `sync_status` is `synced` again; nothing is embedded anew.',
      '',
      '`status` and `sync_status` are shown as written, drive nothing, and give way to what happens to the content next. Writing',
      '`sync_status: stale` has it brought into the index once more.',
    ].join('\n'),
    permission: 'contents:write',
    params: ContentParams,
    body: UpdateContentRequest,
    response: Content,
    validationStatus: 400,
    otherStatuses: {
      409: 'The content is being deleted, is only in archived collections, or another one has its external_id',
    },
    examples: { body: { name: 'Handbook 2026', metadata: { lang: 'en', reviewed: true } } },
  },
  async ({ services, caller, params, body }) =>
    updateContent(services, caller, { id: params.content_id, fields: body }),
);
