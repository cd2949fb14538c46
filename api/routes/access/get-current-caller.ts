import { CurrentCaller } from '#domain/records/access/current-caller.ts';
import { getCurrentCaller } from '#operations/access/get-current-caller.ts';
import { route } from '#api/http/route.ts';

export const getCurrentCallerRoute = route(
  {
    method: 'get',
    path: '/me',
    tag: 'Access',
    summary: 'Get the caller of the request and what it may do',
    description:
      'The API key or user of the request, its workspaces, every permission that it has, and the collections that it reaches: ' +
      'enough for an application to offer only what will not be refused.',
    permission: 'authenticated',
    workspaceOptional: true,
    response: CurrentCaller,
    extension: true,
  },
  async ({ services, caller, context }) =>
    getCurrentCaller(services, caller, { isWorkspaceNamed: context.get('X-Workspace-Id').trim() !== '' }),
);
