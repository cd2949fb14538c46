import { OAuthProviderList } from '#domain/records/oauth.ts';
import { listOAuthProviders } from '#operations/connections/oauth-clients.ts';
import { route } from '#api/http/route.ts';

export const listOAuthProvidersRoute = route(
  {
    method: 'get',
    path: '/oauth/providers',
    tag: 'OAuth',
    summary: 'List OAuth providers',
    description:
      'Those that are known by name; any other one is the standard, with the endpoints that its client names.',
    permission: 'connections:read',
    response: OAuthProviderList,
    extension: true,
  },
  async ({ services }) => listOAuthProviders(services),
);
