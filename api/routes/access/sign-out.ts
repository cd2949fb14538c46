import { SignedOut } from '#domain/records/access/sign-in.ts';
import { signOut } from '#operations/access/sign-in.ts';
import { route } from '#api/http/route.ts';

export const signOutRoute = route(
  {
    method: 'delete',
    path: '/sign-in',
    tag: 'Access',
    summary: 'Sign out',
    description:
      'Revokes the API key of the request if `POST /sign-in` returned it; from then on it gets 401, here as well. Any other key, and the token of a ' +
      'user, stay as they are: `revoked` says which of the two it was.',
    permission: 'authenticated',
    workspaceOptional: true,
    response: SignedOut,
    extension: true,
  },
  async ({ services, caller }) => signOut(services, caller),
);
