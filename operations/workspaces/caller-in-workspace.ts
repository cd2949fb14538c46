import { AppError } from '#domain/app-error.ts';
import { administratorCaller, type Principal, type Caller } from '#domain/access/caller.ts';

/**
 * Who acts in this workspace: the operator in any, everybody else in the one that they are in.
 * @throws AppError `not_found`, the same for absent and foreign ones.
 */
export function callerInWorkspace(asker: Principal, workspaceId: string): Caller {
  if (asker === 'administrator') return administratorCaller(workspaceId);
  if (asker.scope.workspaceId !== workspaceId) throw workspaceNotFound();
  return asker;
}

/** The same for absent and foreign workspaces, and as for those that `X-Workspace-Id` names. */
export function workspaceNotFound(): AppError {
  return new AppError('not_found', 'There is no such workspace, or you do not reach it.');
}
