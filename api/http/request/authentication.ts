import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context } from 'koa';
import { AppError } from '#domain/app-error.ts';
import { requirePermission, type Principal, type Permission } from '#domain/access/caller.ts';
import { authenticateKey } from '#operations/access/authenticate-key.ts';
import { authenticateUser, type TokenSource } from '#operations/access/authenticate-user.ts';
import type { Services } from '#operations/services.ts';
import { API_KEY_PREFIX } from '#security/api-key.ts';
import type { Secret } from '#security/secret.ts';
import type { RequestLimiter } from './request-limiter.ts';
import { requestState } from './request-state.ts';

/** Tokens with many claims are long; all headers together have 16 KiB. */
const MAX_TOKEN_CHARACTERS = 12_288;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Who may ask beside API keys; nobody where these are null. */
export type Access = { users: TokenSource | null; administratorToken: Secret | null };

/** What is used to find out. */
export type Admitting = { services: Services; access: Access; limiter: RequestLimiter };

/** What a route wants of whoever asks. */
export type Admission = {
  permission: Permission;
  /** The administrator token is taken too, or alone. */
  administration?: 'too' | 'only' | undefined;
  /** The route is about no workspace in particular. */
  anyWorkspace?: boolean | undefined;
};

type Credentials = { kind: 'key' | 'token'; text: string };

/**
 * Finds out who is asking, before anything of the body is read, and that they may.
 * @throws AppError `unauthorized`, `forbidden`, `rate_limited`, or `not_found` for a workspace the caller does not reach.
 */
export async function admitRequest(admitting: Admitting, context: Context, admission: Admission): Promise<Principal> {
  const { limiter } = admitting;
  const address = context.req.socket.remoteAddress ?? '';
  const asker = await limiter.countFailure(address, () => findAsker(admitting, context, admission));
  if (asker === 'administrator') return asker;
  requestState(context).caller = asker;
  await limiter.countRequest(context, asker.principal);
  requirePermission(asker, admission.permission);
  if (admission.administration === 'only') {
    throw new AppError('forbidden', 'This needs the administrator token, as Authorization: Bearer.');
  }
  return asker;
}

async function findAsker({ services, access }: Admitting, context: Context, admission: Admission): Promise<Principal> {
  const { kind, text } = credentialsOf(context);
  if (kind === 'token' && admission.administration !== undefined && isAdministrator(access, text)) {
    return 'administrator';
  }
  const header = context.get('X-Workspace-Id').trim().toLowerCase();
  const isMalformed = header !== '' && !UUID.test(header);
  // A path that names a workspace picks it as the header does; a path that is malformed is found out later.
  const named = header === '' ? inPath(context) : header;
  const workspaceId = UUID.test(named) ? named : null;
  if (kind === 'token' && access.users === null) {
    throw new AppError('unauthorized', 'This is no API key, and this server takes no other bearer tokens.');
  }
  const { permission } = admission;
  // A header that names nothing is answered below, so that nothing has to be picked for it.
  const anyWorkspace = admission.anyWorkspace === true || isMalformed;
  const caller =
    kind === 'token' && access.users !== null
      ? await authenticateUser(services, access.users, { token: text, workspaceId, permission, anyWorkspace })
      : // The address of the connection: headers that name another are the client's own words.
        await authenticateKey(services, { keyText: text, ip: context.req.socket.remoteAddress ?? '', workspaceId });
  if (isMalformed) throw new AppError('not_found', 'There is no such workspace, or you do not reach it.');
  return caller;
}

/** What was sent: `X-API-Key`, else the bearer token, which is a key when it begins like one. */
function credentialsOf(context: Context): Credentials {
  const key = context.get('X-API-Key').trim();
  const bearer = /^Bearer +(\S+) *$/i.exec(context.get('Authorization'))?.[1] ?? '';
  const text = key === '' ? bearer : key;
  if (text === '' || text.length > MAX_TOKEN_CHARACTERS) {
    throw new AppError('unauthorized', 'Send an API key, as X-API-Key or as Authorization: Bearer.');
  }
  return { kind: key === '' && !bearer.startsWith(API_KEY_PREFIX) ? 'token' : 'key', text };
}

function inPath(context: Context): string {
  const params: unknown = context['params'];
  const id = typeof params === 'object' && params !== null && 'workspace_id' in params ? params.workspace_id : '';
  return typeof id === 'string' ? id.toLowerCase() : '';
}

/** Compared by hashes of one length, so that the time tells nothing. */
function isAdministrator({ administratorToken }: Access, text: string): boolean {
  return administratorToken !== null && timingSafeEqual(sha256(text), sha256(administratorToken.reveal()));
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}
