import { CreateMemoryRequest } from '#domain/records/memory.ts';
import { CreateMemoriesAnswer, CreateMemoriesRequest } from '#domain/memories/memory-batch.ts';
import { createMemories, type BatchItem } from '#operations/memories/create-memories.ts';
import { parseBodyItem } from '#api/http/request/validation.ts';
import { withoutNulls } from '#api/http/request/without-nulls.ts';
import { route } from '#api/http/route.ts';
import { INDEXING_NOTE, memoryWriteReply } from './memory-write-reply.ts';

/** A thousand memories of four kilobytes. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

export const createMemoriesRoute = route(
  {
    method: 'post',
    path: '/memories/batch',
    tag: 'Memories',
    summary: 'Create up to 1,000 memories',
    description: [
      'Each item is the body of `POST /memories`, and `results` has a result for each, in the same order. An invalid item fails',
      'alone: its `error` lists every problem, with the position of the item in `loc`. When every item fails, the response has',
      'status 400 and the same body. The valid items are stored together or, if the request fails, not at all. The body may have',
      `4 MiB. ${INDEXING_NOTE}`,
    ].join('\n'),
    permission: 'memories:write',
    body: CreateMemoriesRequest,
    maxBodyBytes: () => MAX_BODY_BYTES,
    response: CreateMemoriesAnswer,
    status: 201,
    otherSuccesses: { 400: 'Every item failed; no memory was created' },
    extension: true,
    idempotent: true,
  },
  async ({ services, caller, body, idempotency }) => {
    const items = body.memories.map((item, index): BatchItem =>
      parseBodyItem(CreateMemoryRequest, withoutNulls(CreateMemoryRequest, item), ['memories', String(index)]),
    );
    return memoryWriteReply(await createMemories(services, caller, { items, idempotency }));
  },
);
