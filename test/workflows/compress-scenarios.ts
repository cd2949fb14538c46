import { Compression, CompressionJob } from '#domain/records/compression.ts';
import type { Flow } from '#test/support/harness/flow.ts';
import { until } from '#test/support/harness/eventually.ts';
import { CANARIES } from './canaries.ts';
import type { Scenario } from './scenario.ts';
import { withWebhook } from './webhook-scenarios.ts';

const { text } = CANARIES;

async function begin({ api }: Flow, content: string, webhookUrl: string): Promise<string> {
  const json = { content: `${content}\nQuestion: what of ${text}?`, strategy: 'extractive', webhook_url: webhookUrl };
  return (await api.post('/compress', Compression, { json, status: 202 })).job_id ?? '';
}

const untilOver = ({ api }: Flow, id: string) =>
  until(
    () => api.get(`/compress/${id}`, CompressionJob),
    ({ status }) => status !== 'pending' && status !== 'running',
  );

/** Scenarios of compression workflows. */
export const compressScenarios: Readonly<Record<string, Scenario>> = {
  'in-windows': {
    runs: { compressText: 1 },
    keep: ['compressText'],
    play: (flow) =>
      withWebhook(flow, async (url) => {
        await untilOver(flow, await begin(flow, `A ${text} came by.\n`.repeat(100_000), url));
      }),
  },
  'ended-by-an-operator': {
    runs: { compressText: 1 },
    keep: ['compressText'],
    shows: { compressText: ['WORKFLOW_EXECUTION_CANCEL_REQUESTED', 'WORKFLOW_EXECUTION_COMPLETED'] },
    play: (flow, workflows) =>
      withWebhook(flow, async (url) => {
        const id = await begin(flow, `A ${text} came by.\n`.repeat(300_000), url);
        const handle = workflows.getHandle(`compress/${id}`);
        const cancel = () =>
          handle.cancel().then(
            () => true,
            () => false,
          );
        await until(cancel, (isAsked) => isAsked);
        await untilOver(flow, id);
      }),
  },
};
