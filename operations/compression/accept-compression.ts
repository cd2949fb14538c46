import { v7 as uuidv7 } from 'uuid';
import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import { compressJob } from '#domain/compression/compression-jobs.ts';
import type { Compression, CompressRequest } from '#domain/records/compression.ts';
import { withIdempotency, type Answer, type Idempotency } from '#operations/idempotency.ts';
import { registerBlobs, retainBlobs } from '#operations/blobs/retain-blobs.ts';
import type { Services } from '#operations/services.ts';
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
  const bytes = Buffer.from(content, 'utf8');
  if (bytes.byteLength > maxJobBytes) {
    const message = `A text to compress may have at most ${maxJobBytes} bytes (LOCI_COMPRESS_MAX_JOB_BYTES); split it.`;
    throw new AppError('payload_too_large', message);
  }
  const blob = await services.blobs.put(scope.workspaceId, oneChunk(bytes), maxJobBytes);
  await registerBlobs(services, caller, [blob]);
  const id = uuidv7();
  const args = { workspace_id: scope.workspaceId, job_id: id };
  const job = compressJob(args, { strategy: options.strategy, sizeBytes: blob.sizeBytes });
  let isNew = false;
  const answer = await withIdempotency<Compression>(services, caller, {
    route: 'POST /compress',
    idempotency,
    effect: async (stores) => {
      await retainBlobs({ ...services, stores }, scope, [blob]);
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
  });
  if (isNew) startWorkflows(services, scope, [job]);
  return answer;
}

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
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
