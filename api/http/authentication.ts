import type { Context } from 'koa';
import { AppError } from '../../domain/app-error.ts';
import { requirePermission } from '../../domain/caller.ts';
import type { Caller, Permission } from '../../domain/caller.ts';
import { authenticate } from '../../operations/authenticate.ts';
import type { Services } from '../../operations/services.ts';
import { requestState } from './request-state.ts';

const MAX_KEY_CHARACTERS = 4096;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Finds out who is asking, before anything of the body is read, and that they may.
 * @throws AppError `unauthorized`, `forbidden`, or `not_found` for a workspace the caller does not reach.
 */
export async function authenticateRequest(
  services: Services,
  context: Context,
  permission: Permission,
): Promise<Caller> {
  const workspaceId = context.get('X-Workspace-Id').trim().toLowerCase();
  const mayExist = UUID.test(workspaceId);
  const caller = await authenticate(services, {
    keyText: credentialsOf(context),
    // The address of the connection: headers that name another are the client's own words.
    ip: context.req.socket.remoteAddress ?? '',
    workspaceId: mayExist ? workspaceId : null,
  });
  requestState(context).caller = caller;
  if (workspaceId !== '' && !mayExist) throw unknownWorkspace();
  requirePermission(caller, permission);
  return caller;
}

/** The API key as sent: `X-API-Key`, else the bearer token. */
function credentialsOf(context: Context): string {
  const key = context.get('X-API-Key').trim();
  const bearer = /^Bearer +(\S+) *$/i.exec(context.get('Authorization'))?.[1] ?? '';
  const text = key === '' ? bearer : key;
  if (text === '' || text.length > MAX_KEY_CHARACTERS) {
    throw new AppError('unauthorized', 'Send an API key, as X-API-Key or as Authorization: Bearer.');
  }
  return text;
}

function unknownWorkspace(): AppError {
  return new AppError('not_found', 'This key reaches no workspace with the id in X-Workspace-Id.');
}
