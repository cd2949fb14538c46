import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import type { CompressionJob } from '#domain/records/compression.ts';
import type { CompressionRow } from '#store/compression/compressions.ts';
import type { Stores } from '#store/stores.ts';
import { withIdempotency, type Answer, type Idempotency } from '#operations/idempotency.ts';
import { endCompression, failedWith } from './end-compression.ts';
import type { Services } from '#operations/services.ts';
import { toCompressionJob } from './present-compression.ts';

/** A compress job, with its result once there is one. @throws AppError `not_found`. */
export async function getCompression({ stores }: Services, caller: Caller, id: string): Promise<CompressionJob> {
  return showJob(stores, caller, requireReach(caller, await stores.compressions.find(caller.scope, id)));
}

/**
 * Ends a job that is under way; its `webhook_url` is told, as of any end without a result.
 * @throws AppError `not_found`; `conflict` when it is over.
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
      requireReach(caller, await stores.compressions.find(caller.scope, id));
      // Its workflow sees the end before its next window, and leaves the outbox by itself.
      await endCompression({ ...services, stores }, caller.scope, {
        id,
        outboxId: null,
        decide: async () => failedWith('cancelled', 'cancelled', 'The job was cancelled by request.'),
        isOver: (job) => {
          throw new AppError('conflict', `The job is ${job.status}; there is nothing to cancel.`);
        },
      });
      return { status: 200, body: await getCompression({ ...services, stores }, caller, id) };
    },
  });
}

async function showJob(stores: Stores, { scope }: Caller, job: CompressionRow): Promise<CompressionJob> {
  if (job.status !== 'completed') return toCompressionJob(job, null);
  const contents = await stores.compressions.contents(scope, job.id);
  return toCompressionJob(job, contents.filter((text) => text !== '').join(job.joint ?? ''));
}

/** A key speaks for its workspace, a user who is no administrator of it for themselves. */
function requireReach(caller: Caller, job: CompressionRow | null): CompressionRow {
  const isTheirs = caller.userId === null || caller.permissions.includes('*') || job?.created_by === caller.principal;
  if (job && isTheirs) return job;
  throw new AppError('not_found', 'There is no such compress job, or this key does not reach it.');
}
