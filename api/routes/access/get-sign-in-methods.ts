import { SignInMethods } from '#domain/records/access/sign-in.ts';
import { openRoute } from '#api/http/route.ts';

export const getSignInMethodsRoute = openRoute(
  {
    method: 'get',
    path: '/sign-in',
    tag: 'Access',
    summary: 'Get how people can sign in',
    description:
      'Always with an API key; and where the operator configured a client (`LOCI_CONSOLE_OIDC_CLIENT_ID`), with the issuer of the tokens of ' +
      'users. Nothing of this is secret.',
    permission: null,
    response: SignInMethods,
    extension: true,
  },
  ({ services }) => Promise.resolve({ api_key: true as const, oidc: services.issuerSignIn }),
);
