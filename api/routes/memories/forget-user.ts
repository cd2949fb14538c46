import { z } from 'zod';
import { DeletionAccepted } from '#domain/records/deletion.ts';
import { textField } from '#domain/records/fields.ts';
import { forgetUser } from '#operations/memories/forget-user.ts';
import { route } from '#api/http/route.ts';

const Query = z.object({
  user_id: textField(255, 1).optional().meta({
    description:
      'User whose memories are deleted. Required with an API key; with a token, it is the user of the token.',
  }),
});

export const forgetUserRoute = route(
  {
    method: 'delete',
    path: '/memories',
    tag: 'Memories',
    summary: 'Delete all memories of a user',
    description: [
      'Deletes every memory that the user owns, of any type, with all versions. No later response contains them (if there are more',
      'than 5,000, or 10,000 versions, the rest is removed within seconds). A workflow then removes them from the index, verifies that',
      'nothing is left, and completes the receipt: `GET /deletions/{deletion_id}`. Memories that are written after the request are',
      'kept. An identical request with the `Idempotency-Key` that created or changed a memory still gets its stored response, for 24',
      'hours after the first one.',
      '',
      'Messages of the user are kept until their conversation is deleted, but no more memories are extracted from those that were',
      'sent before this request.',
    ].join('\n'),
    permission: 'memories:delete',
    query: Query,
    response: DeletionAccepted,
    status: 202,
    extension: true,
  },
  async ({ services, caller, query }) => forgetUser(services, caller, { userId: query.user_id }),
);
