import { DeletionAccepted } from '#domain/records/deletion.ts';
import { deleteContent } from '#operations/contents/delete-content.ts';
import { route } from '#api/http/route.ts';
import { ContentParams } from '#api/routes/path-params.ts';

export const deleteContentRoute = route(
  {
    method: 'delete',
    path: '/contents/{content_id}',
    tag: 'Contents',
    summary: 'Delete a content',
    description:
      'Deletes the content in any state. Searches stop finding it ' +
      'immediately. `GET /deletions/{deletion_id}` returns the receipt.',
    permission: 'contents:delete',
    params: ContentParams,
    response: DeletionAccepted,
    status: 202,
    extension: true,
  },
  async ({ services, caller, params }) => deleteContent(services, caller, params.content_id),
);
