import {
  allHandlersFinished,
  condition,
  continueAsNew,
  defineQuery,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { ErrorCode } from '#domain/app-error.ts';
import {
  describeCounts,
  describeReasons,
  NO_COUNTS,
  countTaken,
  type CrawlArgs,
  type CrawlCounts,
  type CrawlSlice,
} from '#domain/crawls/crawl-jobs.ts';
import { NO_OUTCOME, describeFailures, describeOutcome, type BatchOutcome } from '#domain/uploads/batch-outcome.ts';
import { createBatchPool } from './batch-pool.ts';
import { wakeSignal } from './signals.ts';
import { pollIntervalMs } from './poll-interval.ts';
import { upsertStage } from './upsert-stage.ts';
import { handleControlSignals } from './control-signals.ts';
import { activityFailureOf, activityProxiesFor } from './activity-proxies.ts';

const progressQuery = defineQuery<CrawlState>('progress');

/** State that continue-as-new passes to the next execution. `after`: pages up to this position have a batch. */
type CrawlState = {
  after: number;
  batches: number;
  counts: CrawlCounts;
  max_pages: number;
  outcome: BatchOutcome;
};

const FIRST_STATE: CrawlState = { after: 0, batches: 0, counts: NO_COUNTS, max_pages: 0, outcome: NO_OUTCOME };
/** Time slices per execution: keeps the history at a few thousand events. */
const TIME_SLICES_PER_EXECUTION = 100;

/** Crawls a site: fetches pages in time slices and ingests them in batches, until no page is left to fetch. */
export async function crawlSite(args: CrawlArgs, state: CrawlState = FIRST_STATE): Promise<CrawlState> {
  const { workspace_id, collection_id, crawl_id, upload_id } = args;
  const { upkeep, crawl } = activityProxiesFor(workspace_id);
  let stage = 'crawling';
  let woken = false;
  const show = () => {
    state = { ...state, outcome: batches.outcome() };
    setCurrentDetails(detailsOf(args, { ...state, stage, running: batches.size() }));
  };
  const enter = (name: string) => {
    stage = name;
    upsertStage(name);
    show();
  };
  const batches = createBatchPool({ workspace_id, collection_id, run_id: crawl_id, upload_id }, state.outcome, show);
  const wake = () => {
    woken = true;
    return batches.wake();
  };
  setHandler(progressQuery, () => state);
  setHandler(wakeSignal, wake);
  handleControlSignals(async (action) => {
    await upkeep.controlCrawl.executeWithOptions({ summary: `Operator signal: ${action}` }, [{ ...args, action }]);
    await wake();
  });
  const ingest = async (slice: CrawlSlice) => {
    state = { ...state, counts: slice.counts, max_pages: slice.max_pages, after: slice.next };
    for (const batch of slice.batches) {
      const number = state.batches;
      await batches.start({ ...batch, number, summary: `Batch ${number + 1}: ${batch.content_ids.length} pages` });
      state = { ...state, batches: number + 1 };
    }
    show();
  };
  // Polls since the last wake-up.
  let polls = 0;
  const waitForNext = async ({ fate, wait_ms }: CrawlSlice) => {
    if (fate === 'paused') enter('paused');
    if (fate === 'paused')
      await condition(() => woken, pollIntervalMs(polls), { summary: 'Paused until woken, or until the next poll' });
    else if (wait_ms > 0)
      await condition(() => woken, wait_ms, { summary: 'Wait before the next request to the host' });
    polls = woken || fate !== 'paused' ? 0 : polls + 1;
    woken = false;
    if (fate === 'paused') enter('crawling');
  };
  const fetchAll = async () => {
    for (let timeSlices = 0; ; timeSlices += 1) {
      if (timeSlices >= TIME_SLICES_PER_EXECUTION || workflowInfo().continueAsNewSuggested) {
        await batches.waitForUnpaused();
        await condition(allHandlersFinished);
        // Paused children belong to this execution, which must wait for them.
        if (batches.size() === 0) await continueAsNew<typeof crawlSite>(args, state);
      }
      const summary = `Fetch pages, ${countTaken(state.counts)} so far`;
      const slice = await crawl.crawlSlice.executeWithOptions({ summary }, [{ ...args, after: state.after }]);
      await ingest(slice);
      if (slice.fate === 'over') return;
      await waitForNext(slice);
    }
  };

  enter(stage);
  const fetchFailure = await failureOf(fetchAll);
  enter('ingesting');
  // Fetched pages are ingested even if fetching failed.
  const failure = (await failureOf(() => batches.waitForAll())) ?? fetchFailure;
  const ending = { ...args, outbox_id: workflowInfo().workflowId, failure };
  const summary = 'End the crawl and mark pages that no longer exist';
  state = { ...state, counts: await upkeep.endCrawl.executeWithOptions({ summary }, [ending]) };
  await condition(allHandlersFinished);
  const hasErrors = state.counts.failed > 0 || batches.outcome().failed > 0;
  enter(failure ? 'failed' : hasErrors ? 'completed_with_errors' : 'completed');
  return state;
}

/** The code and message with which work failed for good; null when it succeeded. */
async function failureOf(work: () => Promise<void>): Promise<{ code: ErrorCode; message: string } | null> {
  try {
    await work();
    return null;
  } catch (error) {
    const { code, message } = activityFailureOf(error);
    return { code, message: `The crawl stopped: ${message}` };
  }
}

/** Markdown for the Temporal UI: progress, failures with their reasons, ids, and the signals that control the workflow. */
function detailsOf(args: CrawlArgs, now: CrawlState & { stage: string; running: number }): string {
  const { workspace_id, collection_id, upload_id, crawl_id } = args;
  const hasEnded = !['crawling', 'paused', 'ingesting'].includes(now.stage);
  const work = hasEnded ? '' : `; batches running: ${now.running}`;
  return [
    `**${now.stage}: ${countTaken(now.counts)} of at most ${now.max_pages} pages**\n\n${describeCounts(now.counts)}`,
    describeReasons(now.counts),
    `Ingestion: ${describeOutcome(now.outcome)}${work}`,
    describeFailures(now.outcome.failures),
    `- workspace \`${workspace_id}\`\n- collection \`${collection_id}\`\n- upload \`${upload_id}\`\n- crawl \`${crawl_id}\``,
    hasEnded ? '' : 'Control it with the signals `pause`, `resume` and `cancel`.',
  ]
    .filter((section) => section !== '')
    .join('\n\n');
}
