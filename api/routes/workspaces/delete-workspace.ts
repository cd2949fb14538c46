import { DeletionAccepted } from '#domain/records/deletion.ts';
import { deleteWorkspace } from '#operations/workspaces/delete-workspace.ts';
import { callerInWorkspace } from '#operations/workspaces/caller-in-workspace.ts';
import { administrationRoute } from '#api/http/route.ts';
import { WorkspaceParams } from '#api/routes/path-params.ts';

export const deleteWorkspaceRoute = administrationRoute(
  {
    method: 'delete',
    path: '/workspaces/{workspace_id}',
    tag: 'Workspaces',
    summary: 'Delete a workspace',
    description:
      'With everything in it, and for good. Its keys are unknown and its members are out at once; what is under way is ended. ' +
      'With the administrator token, `GET /deletions/{deletion_id}` gives the receipt. 403 for a key of some collections.',
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
