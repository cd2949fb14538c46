import { CreateMemoryRequest, MemoryAnswer } from '#domain/records/memory.ts';
import { createMemory } from '#operations/memories/create-memory.ts';
import { route } from '#api/http/route.ts';
import { INDEXING_NOTE, memoryWriteReply } from './memory-write-reply.ts';

export const createMemoryRoute = route(
  {
    method: 'post',
    path: '/memories',
    tag: 'Memories',
    summary: 'Create a memory',
    description: `\`user_id\` is the owner: required with an API key, by default the user of the token with a user token. ${INDEXING_NOTE}`,
    permission: 'memories:write',
    body: CreateMemoryRequest,
    response: MemoryAnswer,
    status: 201,
    idempotent: true,
  },
  async ({ services, caller, body, idempotency }) =>
    memoryWriteReply(await createMemory(services, caller, { body, idempotency })),
);
