import { z } from 'zod';
import { AppError, assertNever } from '#domain/app-error.ts';
import { COMPRESS_TEXT } from '#domain/compression/compression-jobs.ts';
import type { OutboxRow } from '#store/outbox/outbox-system.ts';
import { endCrawl, type CrawlFailure } from '#operations/crawls/end-crawl.ts';
import { endCompression, endedWithoutResult } from '#operations/compression/end-compression.ts';
import { finishRun } from '#operations/uploads/finish-run.ts';
import type { Services } from '#operations/services.ts';

const UNCHECKED_MS = 60_000;
const AT_ONCE = 50;

/** Workflows that nothing hangs on but what they make: an operator can end them, and one that always fails is left. */
const OPTIONAL: ReadonlySet<string> = new Set(['summariseConversation', 'extractMemories']);
const OPTIONAL_RESTARTS = 3;

const CrawlArgs = z.object({
  workspace_id: z.string(),
  collection_id: z.string(),
  upload_id: z.string(),
  crawl_id: z.string(),
});
const ENDED_CRAWL: CrawlFailure = {
  code: 'terminated',
  message: 'The workflow of the crawl ended before it was done; upload the URL again to go on.',
};

const CompressArgs = z.object({ job_id: z.string() });
const IngestArgs = z.object({
  workspace_id: z.string(),
  collection_id: z.string(),
  run_id: z.string().optional(),
  upload_id: z.string().nullish(),
});

const DeliveryArgs = z.object({ delivery_id: z.string(), round: z.int() });

/**
 * Looks after started work: what an operator ended by hand is ended in the rows too, what Temporal no longer knows is
 * started again, and a deletion goes on until it has its receipt. Nothing acknowledged is left hanging.
 */
export async function reconcileOutbox(services: Services, olderThanMs = UNCHECKED_MS): Promise<void> {
  const rows = await services.stores.system.claimUnchecked(olderThanMs, AT_ONCE);
  for (const row of rows) {
    try {
      await reconcile(services, row);
    } catch (error) {
      // Without Temporal or Postgres the others fare no better.
      if (error instanceof AppError && error.code === 'dependency_unavailable') throw error;
      services.log.warn(
        { error, workflow_id: row.workflow_id, workspace_id: row.workspace_id },
        'started work could not be looked after; it will be the next time',
      );
    }
  }
}

async function reconcile(services: Services, row: OutboxRow): Promise<void> {
  const state = await services.jobs.state(row.workflow_id);
  switch (state) {
    case 'running':
      return;
    case 'completed':
      return settle(services, row);
    case 'not_found':
      services.log.warn(
        { workflow_id: row.workflow_id },
        'Temporal does not know a started workflow; it is started again',
      );
      return services.stores.system.restart(row.id, row.workflow_id);
    case 'failed':
      return endOrRestart(services, row);
    default:
      return assertNever(state);
  }
}

async function endOrRestart(services: Services, row: OutboxRow): Promise<void> {
  if (row.workflow_type === 'crawlSite') {
    await endCrawl(services, CrawlArgs.parse(row.args), { outboxId: row.workflow_id, failure: ENDED_CRAWL });
    return;
  }
  if (row.workflow_type === COMPRESS_TEXT) return endCompressJob(services, row);
  if (row.workflow_type === 'deliverWebhook') return endDelivery(services, row);
  if (row.workflow_type !== 'ingestUpload' && row.workflow_type !== 'ingestBatch') {
    const [base, again] = row.workflow_id.split('/again-');
    const next = Number(again ?? 0) + 1;
    if (OPTIONAL.has(row.workflow_type) && next > OPTIONAL_RESTARTS) {
      services.log.error({ workflow_id: row.workflow_id, workspace_id: row.workspace_id }, 'failing work is given up');
      return settle(services, row);
    }
    // Deletions and projections must come to their end; the used-up id gets a successor.
    return services.stores.system.restart(row.id, `${base ?? row.workflow_id}/again-${next}`);
  }
  return settle(services, row);
}

/** The work is over: what it left under way ends with it. */
async function settle(services: Services, row: OutboxRow): Promise<void> {
  const args = IngestArgs.safeParse(row.args);
  const runId =
    args.success && row.workflow_type.startsWith('ingest') ? (args.data.run_id ?? args.data.upload_id) : null;
  if (args.success && runId) {
    const { workspace_id, collection_id } = args.data;
    return finishRun(services, { workspace_id, collection_id, run_id: runId, outbox_id: row.workflow_id });
  }
  await services.stores.outbox.settle({ workspaceId: row.workspace_id, collectionIds: null }, row.workflow_id);
}

/** Whoever ends the workflow of a delivery wants no more attempts. */
async function endDelivery(services: Services, row: OutboxRow): Promise<void> {
  const { delivery_id: id, round } = DeliveryArgs.parse(row.args);
  const scope = { workspaceId: row.workspace_id, collectionIds: null };
  const message = 'An operator ended the workflow of this delivery; redeliver it to try again.';
  await services.stores.webhookAttempts.end(scope, { id, round }, message);
  await services.stores.outbox.settle(scope, row.workflow_id);
}

/** A compress job says that it failed; whoever sent the text sends it again. */
async function endCompressJob(services: Services, row: OutboxRow): Promise<void> {
  const { job_id: id } = CompressArgs.parse(row.args);
  const message = 'The workflow was ended before the text was compressed; send it again.';
  await endCompression(
    services,
    { workspaceId: row.workspace_id, collectionIds: null },
    { id, decide: async () => endedWithoutResult('failed', 'terminated', message), outboxId: row.workflow_id },
  );
}
