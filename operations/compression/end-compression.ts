import type { Scope } from '#domain/access/scope.ts';
import type { Compression } from '#domain/records/compression.ts';
import type { CompressionRow, EndedCompression } from '#store/compression/compressions.ts';
import type { Stores } from '#store/stores.ts';
import { announceEvent, announceToUrl } from '#operations/webhooks/announce-event.ts';
import type { Services } from '#operations/services.ts';
import { presentCompression } from './present-compression.ts';

/** Largest result in a webhook, in bytes of JSON; a larger one is fetched by `job_id`. */
const MAX_INLINE_BYTES = 16 * 1024;
/** Largest metadata in a webhook, in bytes of JSON. */
const MAX_METADATA_BYTES = 24 * 1024;

type Ending = {
  id: string;
  /** Returns how the job ended; called while the job is locked. Null leaves the job unchanged. */
  decide: (job: CompressionRow, stores: Stores) => Promise<EndedCompression | null>;
  /** The outbox row to complete with the job; null leaves the outbox unchanged. */
  outboxId: string | null;
  /** Called, to throw, when the job has already ended. */
  onEnded?: (job: CompressionRow) => never;
};

/**
 * Ends a compression job exactly once: final status, webhook deliveries and completed outbox row are committed together. For a job
 * that has already ended, only the outbox row is completed. Returns null when there is no such job.
 */
export async function endCompression(
  { stores, limits }: Pick<Services, 'stores' | 'limits'>,
  scope: Scope,
  ending: Ending,
): Promise<CompressionRow | null> {
  const { id, decide, outboxId } = ending;
  return stores.transaction(async (inside) => {
    const job = await inside.compressions.lock(scope, id);
    if (outboxId !== null) await inside.outbox.complete(scope, outboxId);
    if (job && hasEnded(job)) ending.onEnded?.(job);
    if (!job || hasEnded(job)) return job;
    const ended = await decide(job, inside);
    if (ended === null) return job;
    await inside.compressions.end(scope, id, { ended, retentionMs: limits.compress.retentionMs });
    const row = { ...job, ...ended };
    const type = ended.status === 'completed' ? ('compress.completed' as const) : ('compress.failed' as const);
    const event = { type, data: await eventData(inside, scope, row) };
    await announceEvent(inside, scope, event);
    await announceToUrl(inside, scope, { ...event, url: job.webhook_url });
    return row;
  });
}

/** True for a job with a final status. */
export function hasEnded({ status }: Pick<CompressionRow, 'status'>): boolean {
  return status !== 'pending' && status !== 'running';
}

/** Returns the end of a job without a result. */
export function endedWithoutResult(status: 'failed' | 'cancelled', code: string, message: string): EndedCompression {
  return {
    status,
    error_code: code,
    error_message: message,
    strategy_used: null,
    compressed_tokens: null,
    metadata: null,
  };
}

async function eventData(stores: Stores, scope: Scope, row: CompressionRow): Promise<Record<string, unknown>> {
  const error = row.error_code === null ? {} : { error: { code: row.error_code, message: row.error_message } };
  const content = row.status === 'completed' ? await inlineContent(stores, scope, row) : null;
  const { metadata, ...rest }: Compression = presentCompression(row, content);
  return { ...rest, metadata: jsonBytes(metadata) > MAX_METADATA_BYTES ? null : metadata, ...error };
}

async function inlineContent(stores: Stores, scope: Scope, row: CompressionRow): Promise<string | null> {
  if ((row.metadata?.compressed_characters ?? 0) > MAX_INLINE_BYTES) return null;
  const content = (await stores.compressions.contents(scope, row.id))
    .filter((text) => text !== '')
    .join(row.joint ?? '');
  return jsonBytes(content) > MAX_INLINE_BYTES ? null : content;
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
