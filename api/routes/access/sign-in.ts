import { SignedIn, SignInRequest } from '#domain/records/access/sign-in.ts';
import { signIn } from '#operations/access/sign-in.ts';
import { openRoute } from '#api/http/route.ts';

/** Anybody may send one: a code has some forty characters. */
const MAX_BODY_BYTES = 4 * 1024;

export const signInRoute = openRoute(
  {
    method: 'post',
    path: '/sign-in',
    tag: 'Access',
    summary: 'Redeem the code of a sign-in link',
    description:
      'The link that `npm start` prints has a code that works once, within an hour. It is exchanged here for a new API key with the ' +
      'label `console`, which expires after 12 hours and has the permissions and limits of the key that the code was made for. ' +
      '`Idempotency-Key` is not supported: a code never works twice.',
    permission: null,
    carriesCredential: true,
    body: SignInRequest,
    maxBodyBytes: () => MAX_BODY_BYTES,
    response: SignedIn,
    status: 201,
    extension: true,
    otherStatuses: { 401: 'The code is unknown, used or expired', 503: 'Postgres is unavailable' },
  },
  async ({ services, body }) => signIn(services, body.code),
);
