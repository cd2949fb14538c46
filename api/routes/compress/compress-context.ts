import { Compression, CompressRequest } from '#domain/records/compression.ts';
import { acceptCompression } from '#operations/compression/accept-compression.ts';
import { compressNow } from '#operations/compression/compress-now.ts';
import { whileConnected } from '#api/http/request/while-connected.ts';
import { MAX_JSON_BYTES } from '#api/http/request/json-body.ts';
import { Reply } from '#api/http/response/reply.ts';
import { route } from '#api/http/route.ts';

/** JSON may escape a character of two bytes with six. */
const BYTES_OF_JSON_PER_BYTE = 3;

export const compressContextRoute = route(
  {
    method: 'post',
    path: '/compress',
    tag: 'Compress',
    summary: 'Compress a text',
    description: [
      'Without `webhook_url` the response contains the result. When the text ends or begins with a question (a last sentence',
      'with a question mark, a line `Question: …`, the last turn of a user), the result keeps what helps to answer it;',
      'otherwise it keeps what the text is mainly about. `strategy_used` is the strategy that was used: `extractive` replaces',
      '`ai_compress` when no chat model is configured. With `webhook_url` the text is compressed as a job. `Idempotency-Key`',
      'applies to jobs only, because other requests store nothing.',
    ].join('\n'),
    permission: 'compress:write',
    idempotent: true,
    otherSuccesses: { 202: 'With `webhook_url`: the job was accepted' },
    body: CompressRequest,
    maxBodyBytes: ({ compress }) => BYTES_OF_JSON_PER_BYTE * compress.maxJobBytes + MAX_JSON_BYTES,
    response: Compression,
    otherStatuses: { 413: 'The text is too long; without a job the limit is 1 MiB' },
  },
  async ({ services, caller, body, idempotency, context }) => {
    const { webhook_url } = body;
    if (webhook_url !== null) {
      const job = await acceptCompression(services, caller, { body: { ...body, webhook_url }, idempotency });
      return Reply.json(job.body, { status: job.status });
    }
    return whileConnected(context, (signal) => compressNow(services, caller, { body, signal }));
  },
);
