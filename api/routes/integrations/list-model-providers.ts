import { ModelProviderList } from '#domain/records/provider-model.ts';
import { listModelProviders } from '#operations/connections/list-provider-models.ts';
import { route } from '#api/http/route.ts';

export const listModelProvidersRoute = route(
  {
    method: 'get',
    path: '/integrations/providers',
    tag: 'Integrations',
    summary: 'List model providers',
    description: 'Lists all providers of the bundled catalogue and of this instance, ordered by id.',
    permission: 'connections:read',
    response: ModelProviderList,
    extension: true,
  },
  async ({ services }) => listModelProviders(services),
);
