import { DeletionAccepted } from '#domain/records/deletion.ts';
import { deleteWorkspace } from '#operations/workspaces/delete-workspace.ts';
import { callerInWorkspace } from '#operations/access/caller-in-workspace.ts';
import { administrationRoute } from '#api/http/route.ts';
import { WorkspaceParams } from '#api/routes/path-params.ts';

export const deleteWorkspaceRoute = administrationRoute(
  {
    method: 'delete',
    path: '/workspaces/{workspace_id}',
    tag: 'Workspaces',
    summary: 'Delete a workspace',
    description:
      'Deletes the workspace with everything in it, for ever. Its keys and memberships stop working at once, and its running ' +
      'work is ended. With the administrator token, `GET /deletions/{deletion_id}` returns the receipt. 403 for a key that is ' +
      'limited to some collections.',
    permission: 'workspaces:delete',
    administrator: 'allowed',
    params: WorkspaceParams,
    response: DeletionAccepted,
    status: 202,
    extension: true,
  },
  async ({ services, principal, params }) =>
    deleteWorkspace(services, callerInWorkspace(principal, params.workspace_id)),
);
