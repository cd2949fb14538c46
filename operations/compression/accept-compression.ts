import { v7 as uuidv7 } from 'uuid';
import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import { compressJob } from '#domain/compression/compression-jobs.ts';
import type { Compression, CompressRequest } from '#domain/records/compression.ts';
import { withIdempotency, type Answer, type Idempotency } from '#operations/idempotency.ts';
import { retainBlobs } from '#operations/blobs/retain-blobs.ts';
import { storeFor } from '#operations/blobs/store-for.ts';
import type { Services } from '#operations/services.ts';
import type { Stores } from '#store/stores.ts';
import { startWorkflows } from '#operations/jobs/start-workflows.ts';

type JobRequest = { body: CompressRequest & { webhook_url: string }; idempotency: Idempotency | null };

/**
 * Accepts a compression job. The text is stored as a blob before the job is acknowledged. The end of the job is sent to
 * `webhook_url`, whose address is checked when the webhook is sent.
 * @throws AppError `payload_too_large`.
 */
export async function acceptCompression(
  services: Services,
  caller: Caller,
  { body, idempotency }: JobRequest,
): Promise<Answer<Compression>> {
  const { scope } = caller;
  const { content, query, ...options } = body;
  const { maxJobBytes } = services.limits.compress;
  await using blob = await services.blobs.spool(encode(content, maxJobBytes), maxJobBytes);
  const id = uuidv7();
  const args = { workspace_id: scope.workspaceId, job_id: id };
  const job = compressJob(args, { strategy: options.strategy, sizeBytes: blob.sizeBytes });
  let isNew = false;
  const request = {
    route: 'POST /compress',
    idempotency,
    effect: async (stores: Stores) => {
      await retainBlobs({ stores }, scope, [blob]);
      await stores.compressions.insert(scope, {
        ...options,
        id,
        asked_query: query,
        input_sha256: blob.sha256,
        input_bytes: blob.sizeBytes,
        created_by: caller.principal,
      });
      await stores.outbox.add(scope, [job]);
      isNew = true;
      return { status: 202, body: accepted(id, body) };
    },
  };
  const effect = () => withIdempotency<Compression>(services, caller, request);
  const answer = await storeFor(services, caller, { blobs: [blob], effect });
  if (isNew) startWorkflows(services, [job]);
  return answer;
}

async function* encode(content: string, maxBytes: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(content, 'utf8');
  if (bytes.byteLength > maxBytes) {
    const message = `A text to compress may have at most ${maxBytes} bytes (LOCI_COMPRESS_MAX_JOB_BYTES); split it.`;
    throw new AppError('payload_too_large', message);
  }
  yield bytes;
}

function accepted(id: string, { strategy }: CompressRequest): Compression {
  return {
    job_id: id,
    status: 'pending',
    strategy,
    strategy_used: null,
    content: null,
    original_tokens: null,
    compressed_tokens: null,
    ratio: null,
    metadata: null,
  };
}
