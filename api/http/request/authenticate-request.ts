import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context } from 'koa';
import { AppError } from '#domain/app-error.ts';
import {
  requirePermission,
  type Caller,
  type Permission,
  type Principal,
  type RequiredPermission,
} from '#domain/access/caller.ts';
import { isLimitedToOwnCollections } from '#domain/access/workspace-roles.ts';
import { authenticateKey } from '#operations/access/authenticate-key.ts';
import { authenticateUser, type TokenSource } from '#operations/access/authenticate-user.ts';
import type { Services } from '#operations/services.ts';
import { workspaceNotFound } from '#operations/access/caller-in-workspace.ts';
import { API_KEY_PREFIX } from '#security/api-key.ts';
import type { Secret } from '#security/secret.ts';
import type { RequestLimiter } from './request-limiter.ts';
import { requestState } from './request-state.ts';

/** Tokens with many claims are long; all headers of a request together may have 16 KiB. */
const MAX_TOKEN_CHARACTERS = 12_288;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Credentials that are accepted besides API keys; null where they are not configured. */
export type AccessSettings = { users: TokenSource | null; administratorToken: Secret | null };

/** What authentication works with. */
export type Authenticator = { services: Services; access: AccessSettings; limiter: RequestLimiter };

/** What a route requires of the caller. */
export type AccessRequirements = {
  permission: RequiredPermission;
  /** The administrator token is accepted as well, or is the only credential accepted. */
  administrator?: 'allowed' | 'required' | undefined;
  /** The route is not about one workspace. */
  workspaceOptional?: boolean | undefined;
};

type Credentials = { kind: 'key' | 'token'; text: string };

/**
 * Authenticates the request and checks that the caller may use the route, before the body is read.
 * @throws AppError `unauthorized`, `forbidden`, `rate_limited`, or `not_found` for a workspace that the caller does not reach.
 */
export async function authenticateRequest(
  authenticator: Authenticator,
  context: Context,
  requirements: AccessRequirements,
): Promise<Principal> {
  const principal = await findCountedPrincipal(authenticator, context, requirements);
  if (principal === 'administrator') return principal;
  if (requirements.permission !== 'authenticated') requirePermission(principal, requirements.permission);
  if (requirements.administrator === 'required') {
    throw new AppError('forbidden', 'This route needs the administrator token, as Authorization: Bearer.');
  }
  return principal;
}

/** The caller of a request whose messages say what they need. */
export type MessageCaller = {
  /** The caller with what it may read. */
  caller: Caller;
  /** Returns the caller with the collections that it reaches with this permission. @throws AppError `forbidden` without it. */
  permitted: (permission: Permission) => Promise<Caller>;
};

const READING: Permission = 'collections:read';

/**
 * Authenticates a request before it is known what its messages need.
 * @throws AppError like `authenticateRequest`, except for a missing permission.
 */
export async function authenticateMessages(authenticator: Authenticator, context: Context): Promise<MessageCaller> {
  const caller = await findCountedPrincipal(authenticator, context, { permission: READING });
  if (caller === 'administrator') throw new AppError('unauthorized', 'This needs an API key or the token of a user.');
  return {
    caller,
    permitted: async (permission) => {
      requirePermission(caller, permission);
      // A member reads more collections than it may change; a key reaches the same ones for everything.
      if (caller.userId === null || !isLimitedToOwnCollections(permission)) return caller;
      const found = await findPrincipal(authenticator, context, { ...readCredentials(context), permission });
      return found === 'administrator' ? caller : found;
    },
  };
}

/** Counts the request as well, and the failures of its address. */
async function findCountedPrincipal(
  authenticator: Authenticator,
  context: Context,
  requirements: AccessRequirements,
): Promise<Principal> {
  const { limiter } = authenticator;
  const address = requestState(context).clientAddress;
  // Without credentials nobody guesses anything, and clients that begin so are to learn how to sign in.
  const asked = { ...readCredentials(context), ...requirements };
  const principal = await limiter.countFailure(address, () => findPrincipal(authenticator, context, asked));
  if (principal === 'administrator') return principal;
  requestState(context).caller = principal;
  await limiter.countRequest(context, {
    principal: principal.principal,
    workspaceId: principal.scope.workspaceId,
  });
  return principal;
}

async function findPrincipal(
  { services, access }: Authenticator,
  context: Context,
  { kind, text, ...requirements }: Credentials & AccessRequirements,
): Promise<Principal> {
  if (kind === 'token' && requirements.administrator !== undefined && isAdministratorToken(access, text)) {
    return 'administrator';
  }
  const header = context.get('X-Workspace-Id').trim().toLowerCase();
  const isMalformed = header !== '' && !UUID.test(header);
  // A workspace in the path selects it as the header does. A malformed id in the path is rejected later, by validation.
  const named = header === '' ? workspaceInPath(context) : header;
  const workspaceId = UUID.test(named) ? named : null;
  if (kind === 'token' && access.users === null) {
    throw new AppError('unauthorized', 'This is not an API key, and this server accepts no other bearer tokens.');
  }
  // A malformed header is rejected below, after authentication; until then no workspace needs to be selected.
  const workspaceOptional = requirements.workspaceOptional === true || isMalformed;
  const ownOnly = requirements.permission !== 'authenticated' && isLimitedToOwnCollections(requirements.permission);
  const caller =
    kind === 'token' && access.users !== null
      ? await authenticateUser(services, access.users, { token: text, workspaceId, ownOnly, workspaceOptional })
      : await authenticateKey(services, { keyText: text, ip: requestState(context).clientAddress, workspaceId });
  if (isMalformed) throw workspaceNotFound();
  return caller;
}

/** Reads `X-API-Key`, or else the bearer token, which is an API key when it has the prefix of one. */
function readCredentials(context: Context): Credentials {
  const key = context.get('X-API-Key').trim();
  const bearer = /^Bearer +(\S+) *$/i.exec(context.get('Authorization'))?.[1] ?? '';
  const text = key === '' ? bearer : key;
  requestState(context).hasCredentials = text !== '';
  if (text === '' || text.length > MAX_TOKEN_CHARACTERS) {
    throw new AppError('unauthorized', 'Send an API key, as X-API-Key or as Authorization: Bearer.');
  }
  return { kind: key === '' && !bearer.startsWith(API_KEY_PREFIX) ? 'token' : 'key', text };
}

function workspaceInPath(context: Context): string {
  const params: unknown = context['params'];
  const id = typeof params === 'object' && params !== null && 'workspace_id' in params ? params.workspace_id : '';
  return typeof id === 'string' ? id.toLowerCase() : '';
}

/** Compares hashes of equal length in constant time, so that the duration reveals nothing. */
function isAdministratorToken({ administratorToken }: AccessSettings, text: string): boolean {
  return administratorToken !== null && timingSafeEqual(sha256(text), sha256(administratorToken.reveal()));
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}
