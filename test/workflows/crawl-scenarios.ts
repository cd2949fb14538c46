import type { WorkflowClient } from '@temporalio/client';
import { crawlWorkflowId } from '#domain/crawls/crawl-jobs.ts';
import { untilOver } from '#test/support/harness/crawl-flow.ts';
import type { Flow } from '#test/support/harness/flow.ts';
import { until } from '#test/support/harness/eventually.ts';
import { htmlPage, startSite } from '#test/support/servers/site-server.ts';
import { CANARIES } from './canaries.ts';
import type { Scenario } from './scenario.ts';

const { description, download, metadata_key, metadata_value, url_path, url_query, user } = CANARIES;

/** Scenarios with crawls: one with a missing page, and one that is paused and resumed. */
export const crawlScenarios = {
  crawled: {
    runs: { crawlSite: 1, ingestBatch: 1 },
    orMore: ['ingestBatch'],
    keep: ['crawlSite'],
    play: (flow) => playCrawl(flow, async ({ release }) => release()),
  },
  'crawl-steered': {
    runs: { crawlSite: 1, ingestBatch: 1 },
    orMore: ['ingestBatch'],
    keep: ['crawlSite'],
    shows: { crawlSite: ['WORKFLOW_EXECUTION_SIGNALED', 'TIMER_STARTED'] },
    play: (flow, workflows) => playCrawl(flow, (crawl) => steer(flow, workflows, crawl)),
  },
} satisfies Record<string, Scenario>;

/** `release` sends the response of the first page, so that a scenario can act on the crawl before that. */
type Held = { uploadId: string; release: () => void };

/** Crawls a page that links to another one and to a missing one. */
async function playCrawl(flow: Flow, act: (held: Held) => Promise<void>): Promise<void> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const first = htmlPage(download, [`/${url_path}/linked?${url_query}=1`, `/${url_path}/absent`]);
  const site = await startSite({
    [`/${url_path}`]: (response) =>
      void released.then(() => response.writeHead(200, { 'content-type': 'text/html' }).end(first)),
    [`/${url_path}/linked`]: htmlPage(`${download} linked`),
  });
  try {
    const { upload_id } = await flow.send(
      ['urls', `${site.origin}/${url_path}?${url_query}=1`],
      ['crawl', 'true'],
      ['metadata', JSON.stringify({ [metadata_key]: metadata_value })],
      ['description', description],
      ['user_id', user],
    );
    const uploadId = upload_id ?? '';
    await act({ uploadId, release });
    await untilOver(flow, uploadId);
  } finally {
    await site.close();
  }
}

/** Pauses a crawl, and resumes it when its workflow waits. */
async function steer(flow: Flow, workflows: WorkflowClient, { uploadId, release }: Held): Promise<void> {
  const [crawl] = (await flow.progress(uploadId)).crawls;
  const handle = workflows.getHandle(crawlWorkflowId(crawl?.id ?? ''));
  await flow.control(`/uploads/${uploadId}/pause`);
  release();
  await until(
    async () => {
      const { events } = await handle.fetchHistory().catch(() => ({ events: [] }));
      return events?.some(({ timerStartedEventAttributes }) => timerStartedEventAttributes) ?? false;
    },
    (isResting) => isResting,
  );
  await handle.signal('pause');
  await handle.signal('resume');
  // A paused upload looks finished before its workflow waits, because nothing of it is running.
  await until(
    () => flow.progress(uploadId),
    ({ status }) => status !== 'paused',
  );
}
