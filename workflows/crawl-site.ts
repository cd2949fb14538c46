import {
  ActivityFailure,
  ApplicationFailure,
  allHandlersFinished,
  condition,
  continueAsNew,
  defineQuery,
  isCancellation,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import {
  describeCounts,
  describeReasons,
  NO_COUNTS,
  countTaken,
  type CrawlArgs,
  type CrawlCounts,
  type CrawlSlice,
} from '#domain/crawls/crawl-jobs.ts';
import { NO_OUTCOME, describeFailures, describeOutcome, type BatchOutcome } from '#domain/uploads/ingest-outcomes.ts';
import { openBatchWindow } from './batch-window.ts';
import { wakeSignal } from './ingest-batch.ts';
import { lookAgainMs } from './look-again.ts';
import { showStage } from './search-attributes.ts';
import { onSteering } from './steering.ts';
import { stepsFor } from './steps.ts';

export const crawlProgressQuery = defineQuery<CrawlState>('progress');

/** What goes on from one run of the workflow to the next. `after`: pages up to this one have their batch. */
export type CrawlState = {
  after: number;
  batches: number;
  counts: CrawlCounts;
  max_pages: number;
  outcome: BatchOutcome;
};

const FIRST_STATE: CrawlState = { after: 0, batches: 0, counts: NO_COUNTS, max_pages: 0, outcome: NO_OUTCOME };
/** Slices of one workflow run; its history stays a few thousand events long. */
const SLICES_PER_RUN = 100;

/** Crawls a site: fetches pages in slices and ingests what they brought in batches, until nothing is left to fetch. */
export async function crawlSite(args: CrawlArgs, state: CrawlState = FIRST_STATE): Promise<CrawlState> {
  const { workspace_id, collection_id, crawl_id, upload_id } = args;
  const { upkeep, crawl } = stepsFor(workspace_id);
  let stage = 'crawling';
  let woken = false;
  const show = () => {
    state = { ...state, outcome: batches.outcome() };
    setCurrentDetails(detailsOf(args, { ...state, stage, running: batches.size() }));
  };
  const enter = (name: string) => {
    stage = name;
    showStage(name);
    show();
  };
  const batches = openBatchWindow({ workspace_id, collection_id, run_id: crawl_id, upload_id }, state.outcome, show);
  const wake = () => {
    woken = true;
    return batches.wake();
  };
  setHandler(crawlProgressQuery, () => state);
  setHandler(wakeSignal, wake);
  onSteering(async (action) => {
    await upkeep.controlCrawl.executeWithOptions({ summary: `An operator sent ${action}` }, [{ ...args, action }]);
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
  // Since it was woken last; a wake-up may have been lost.
  let looks = 0;
  const pause = async ({ fate, wait_ms }: CrawlSlice) => {
    if (fate === 'paused') enter('paused');
    if (fate === 'paused')
      await condition(() => woken, lookAgainMs(looks), { summary: 'Paused: looks again by itself' });
    else if (wait_ms > 0) await condition(() => woken, wait_ms, { summary: 'The host is left alone for a while' });
    looks = woken || fate !== 'paused' ? 0 : looks + 1;
    woken = false;
    if (fate === 'paused') enter('crawling');
  };
  const fetchAll = async () => {
    for (let slices = 0; ; slices += 1) {
      if (slices >= SLICES_PER_RUN || workflowInfo().continueAsNewSuggested) {
        await batches.rest(false);
        await condition(allHandlersFinished);
        // Children that rest are this run's.
        if (batches.size() === 0) await continueAsNew<typeof crawlSite>(args, state);
      }
      const summary = `Fetch pages, ${countTaken(state.counts)} so far`;
      const slice = await crawl.crawlSlice.executeWithOptions({ summary }, [{ ...args, after: state.after }]);
      await ingest(slice);
      if (slice.fate === 'over') return;
      await pause(slice);
    }
  };

  enter(stage);
  const brokenOff = await failureOf(fetchAll);
  enter('ingesting');
  // What was fetched is ingested, however the fetching ended.
  const failure = (await failureOf(() => batches.rest(true))) ?? brokenOff;
  const ending = { ...args, outbox_id: workflowInfo().workflowId, failure };
  const summary = 'End the crawl; mark pages that vanished';
  state = { ...state, counts: await upkeep.endCrawl.executeWithOptions({ summary }, [ending]) };
  await condition(allHandlersFinished);
  const hasErrors = state.counts.failed > 0 || batches.outcome().failed > 0;
  enter(failure ? 'failed' : hasErrors ? 'completed_with_errors' : 'completed');
  return state;
}

/** How work failed that no retry helps; null when it did not. */
async function failureOf(work: () => Promise<void>): Promise<{ code: string; message: string } | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    const code = (error.cause instanceof ApplicationFailure && error.cause.type) || 'internal';
    return { code, message: `The crawl stopped: ${error.cause?.message ?? error.message}` };
  }
}

/** What an operator reads: how far, what failed and why, for whom, and how to steer. */
function detailsOf(args: CrawlArgs, now: CrawlState & { stage: string; running: number }): string {
  const { workspace_id, collection_id, upload_id, crawl_id } = args;
  const isOver = !['crawling', 'paused', 'ingesting'].includes(now.stage);
  const work = isOver ? '' : `, ${now.running} batches at work`;
  return [
    `**${now.stage}: ${countTaken(now.counts)} of at most ${now.max_pages} pages**\n\n${describeCounts(now.counts)}`,
    describeReasons(now.counts),
    `Ingestion: ${describeOutcome(now.outcome)}${work}`,
    describeFailures(now.outcome.failures),
    `- workspace \`${workspace_id}\`\n- collection \`${collection_id}\`\n- upload \`${upload_id}\`\n- crawl \`${crawl_id}\``,
    isOver ? '' : 'Steer it with the signals `pause`, `resume` and `cancel`.',
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}
