import { ServiceFacts } from '#domain/records/access/service-facts.ts';
import { getServiceFacts } from '#operations/get-service-facts.ts';
import { administrationRoute } from '#api/http/route.ts';

export const getServiceFactsRoute = administrationRoute(
  {
    method: 'get',
    path: '/service',
    tag: 'Process',
    summary: 'Get versions, backlogs and settings of the service',
    description:
      'What concerns all workspaces together, for operators: the administrator token, or a key with every permission of a workspace that ' +
      '`LOCI_OPERATOR_WORKSPACES` names (`npm start` names its own). `GET /me` says whether the caller is one. Nothing of it is a secret.',
    permission: 'workspaces:write',
    administrator: 'allowed',
    response: ServiceFacts,
    extension: true,
  },
  async ({ services, principal }) => getServiceFacts(services, principal),
);
