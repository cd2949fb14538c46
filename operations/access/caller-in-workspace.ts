import { AppError } from '#domain/app-error.ts';
import { administratorCaller, type Principal, type Caller } from '#domain/access/caller.ts';

/**
 * Returns the caller of an operation on this workspace: the operator may act in every workspace, any other principal only in
 * its own.
 * @throws AppError `not_found` for workspaces that do not exist or belong to others.
 */
export function callerInWorkspace(principal: Principal, workspaceId: string): Caller {
  if (principal === 'administrator') return administratorCaller(workspaceId);
  if (principal.scope.workspaceId !== workspaceId) throw workspaceNotFound();
  return principal;
}

/** One error for workspaces that do not exist and those that the caller does not reach, in paths and in `X-Workspace-Id`. */
export function workspaceNotFound(): AppError {
  return new AppError('not_found', 'There is no such workspace, or you do not reach it.');
}
