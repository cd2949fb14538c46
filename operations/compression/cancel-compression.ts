import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import type { CompressionJob } from '#domain/records/compression.ts';
import { withIdempotency, type Answer, type Idempotency } from '#operations/idempotency.ts';
import { endCompression, endedWithoutResult } from './end-compression.ts';
import type { Services } from '#operations/services.ts';
import { getCompression, requireReachable } from './get-compression.ts';

/**
 * Cancels a running compression job; `compress.failed` is sent to its `webhook_url`.
 * @throws AppError `not_found`; `conflict` when the job has ended.
 */
export async function cancelCompression(
  services: Services,
  caller: Caller,
  { id, idempotency }: { id: string; idempotency: Idempotency | null },
): Promise<Answer<CompressionJob>> {
  return withIdempotency(services, caller, {
    route: 'POST /compress/{job_id}/cancel',
    idempotency,
    effect: async (stores) => {
      requireReachable(caller, await stores.compressions.find(caller.scope, id));
      // The workflow notices the cancellation before its next window and completes the outbox row itself.
      await endCompression({ ...services, stores }, caller.scope, {
        id,
        outboxId: null,
        decide: async () => endedWithoutResult('cancelled', 'cancelled', 'The job was cancelled by request.'),
        onEnded: (job) => {
          throw new AppError('conflict', `The job is ${job.status}; there is nothing to cancel.`);
        },
      });
      return { status: 200, body: await getCompression({ ...services, stores }, caller, id) };
    },
  });
}
