import { z } from 'zod';
import { MemoryVersion } from '#domain/records/memory.ts';
import { textField } from '#domain/records/fields.ts';
import { exportMemories } from '#operations/memories/export-memories.ts';
import { streamJsonLines } from '#api/http/response/json-lines.ts';
import { Reply } from '#api/http/response/reply.ts';
import { route } from '#api/http/route.ts';

const Query = z.object({
  user_id: textField(255, 1).optional().meta({
    description:
      'User whose memories are exported. Required with an API key; with a token, it is the user of the token.',
  }),
});

export const exportMemoriesRoute = route(
  {
    method: 'get',
    path: '/memories/export',
    tag: 'Memories',
    summary: 'Export all memories of a user',
    description: [
      'Streams one JSON object per line (NDJSON): every version of every memory that the user owns, of any type, with its validity,',
      'including superseded memories; oldest memory first, and its versions in order. Each line is a `MemoryVersion`, as in',
      '`GET /memories/{memory_id}/history`. If the export cannot be completed, the connection is closed before its end.',
    ].join('\n'),
    permission: 'memories:read',
    query: Query,
    response: z.never(),
    responseType: 'application/x-ndjson',
    extension: true,
  },
  async ({ services, caller, query }) => {
    const versions = exportMemories(services, caller, { userId: query.user_id });
    return Reply.stream(await streamJsonLines(MemoryVersion, versions), { mediaType: 'application/x-ndjson' });
  },
);
