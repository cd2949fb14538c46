import type { Scope } from '#domain/access/scope.ts';
import type { Compression } from '#domain/records/compression.ts';
import type { CompressionRow, EndedCompression } from '#store/compression/compressions.ts';
import type { Stores } from '#store/stores.ts';
import { announceToUrl } from '#operations/webhooks/announce-event.ts';
import type { Services } from '#operations/services.ts';
import { toCompression } from './present-compression.ts';

/** Longest result that a webhook carries, in bytes of JSON; a longer one is fetched by `job_id`. */
const MOST_INLINE_BYTES = 16 * 1024;
/** Longest metadata beside it. */
const MOST_METADATA_BYTES = 24 * 1024;

type Ending = {
  id: string;
  /** How it ended, decided under the lock of the job; null leaves it as it is. */
  decide: (job: CompressionRow, stores: Stores) => Promise<EndedCompression | null>;
  /** Taken off the outbox with it. */
  outboxId: string | null;
  /** What is done with a job that is over already. */
  isOver?: (job: CompressionRow) => never;
};

/**
 * Ends a job once: its last status, the delivery that tells of it and the end of its place in the outbox are committed together.
 * One that is over already only leaves the outbox. Null when there is no such job.
 */
export async function endCompression(
  { stores, limits }: Pick<Services, 'stores' | 'limits'>,
  scope: Scope,
  ending: Ending,
): Promise<CompressionRow | null> {
  const { id, decide, outboxId } = ending;
  return stores.transaction(async (inside) => {
    const job = await inside.compressions.lock(scope, id);
    if (outboxId !== null) await inside.outbox.settle(scope, outboxId);
    if (job && isOver(job)) ending.isOver?.(job);
    if (!job || isOver(job)) return job;
    const ended = await decide(job, inside);
    if (ended === null) return job;
    await inside.compressions.end(scope, id, { ended, retentionMs: limits.compress.retentionMs });
    const row = { ...job, ...ended };
    await announceToUrl(inside, scope, {
      url: job.webhook_url,
      type: ended.status === 'completed' ? 'compress.completed' : 'compress.failed',
      data: await announcementOf(inside, scope, row),
    });
    return row;
  });
}

/** True for a job that nothing happens to any more. */
export function isOver({ status }: Pick<CompressionRow, 'status'>): boolean {
  return status !== 'pending' && status !== 'running';
}

/** A job that ended without a result. */
export function failedWith(status: 'failed' | 'cancelled', code: string, message: string): EndedCompression {
  return {
    status,
    error_code: code,
    error_message: message,
    strategy_used: null,
    compressed_tokens: null,
    metadata: null,
  };
}

async function announcementOf(stores: Stores, scope: Scope, row: CompressionRow): Promise<Record<string, unknown>> {
  const error = row.error_code === null ? {} : { error: { code: row.error_code, message: row.error_message } };
  const content = row.status === 'completed' ? await smallContent(stores, scope, row) : null;
  const { metadata, ...rest }: Compression = toCompression(row, content);
  return { ...rest, metadata: sizeOf(metadata) > MOST_METADATA_BYTES ? null : metadata, ...error };
}

async function smallContent(stores: Stores, scope: Scope, row: CompressionRow): Promise<string | null> {
  if ((row.metadata?.compressed_characters ?? 0) > MOST_INLINE_BYTES) return null;
  const content = (await stores.compressions.contents(scope, row.id))
    .filter((text) => text !== '')
    .join(row.joint ?? '');
  return sizeOf(content) > MOST_INLINE_BYTES ? null : content;
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
