import { Content } from '#domain/records/content.ts';
import { getContent } from '#operations/contents/contents.ts';
import { route } from '#api/http/route.ts';
import { ContentParams } from '#api/routes/path-params.ts';

export const getContentRoute = route(
  {
    method: 'get',
    path: '/contents/{content_id}',
    tag: 'Contents',
    summary: 'Get a content',
    description:
      '`status` is `ready` when searches can find the content. `status_message` says what it is waiting for or why it failed.',
    permission: 'contents:read',
    params: ContentParams,
    response: Content,
  },
  async ({ services, caller, params }) => getContent(services, caller, params.content_id),
);
