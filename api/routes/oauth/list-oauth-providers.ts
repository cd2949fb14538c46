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
      'Lists the built-in providers. Any other provider is treated as standard OAuth, with the endpoints that its client sets.',
    permission: 'connections:read',
    response: OAuthProviderList,
    extension: true,
  },
  async ({ services }) => listOAuthProviders(services),
);
