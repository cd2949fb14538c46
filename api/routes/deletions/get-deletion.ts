import { z } from 'zod';
import { Deletion } from '#domain/records/deletion.ts';
import { Id } from '#domain/records/fields.ts';
import { getDeletion } from '#operations/contents/get-deletion.ts';
import { exampleIds } from '#api/examples/example-ids.ts';
import { administrationRoute } from '#api/http/route.ts';

export const getDeletionRoute = administrationRoute(
  {
    method: 'get',
    path: '/deletions/{deletion_id}',
    tag: 'Deletions',
    summary: 'Get the receipt of a deletion',
    description: 'The receipt of a deleted workspace requires the administrator token.',
    permission: 'deletions:read',
    administrator: 'allowed',
    params: z.object({
      deletion_id: Id.meta({
        description: 'Id of the receipt, from the response to the deletion.',
        examples: [exampleIds.deletion],
      }),
    }),
    response: Deletion,
    extension: true,
  },
  async ({ services, principal, params }) => getDeletion(services, principal, params.deletion_id),
);
