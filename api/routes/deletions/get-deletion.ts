import { z } from 'zod';
import { Deletion } from '../../../domain/records/deletion.ts';
import { Id } from '../../../domain/records/fields.ts';
import { getDeletion } from '../../../operations/get-deletion.ts';
import { route } from '../../http/route.ts';

export const getDeletionRoute = route(
  {
    method: 'get',
    path: '/deletions/{deletion_id}',
    tag: 'Deletions',
    summary: 'Get the receipt of a deletion',
    permission: 'deletions:read',
    params: z.object({ deletion_id: Id }),
    response: Deletion,
    extension: true,
  },
  async ({ services, caller, params }) => getDeletion(services, caller, params.deletion_id),
);
