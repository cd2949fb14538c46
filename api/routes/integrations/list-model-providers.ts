import { ModelProviderList } from '../../../domain/records/provider-model.ts';
import { listModelProviders } from '../../../operations/list-provider-models.ts';
import { route } from '../../http/route.ts';

export const listModelProvidersRoute = route(
  {
    method: 'get',
    path: '/integrations/providers',
    tag: 'Integrations',
    summary: 'List model providers',
    description: 'All providers of the packaged catalogue and of this instance, in the order of their ids.',
    permission: 'connections:read',
    response: ModelProviderList,
    extension: true,
  },
  async ({ services }) => listModelProviders(services),
);
