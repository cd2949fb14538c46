import type { WorkflowClient } from '@temporalio/client';
import { z } from 'zod';
import { CreateChunksResponse } from '#domain/records/chunk.ts';
import { DeletionAccepted } from '#domain/records/deletion.ts';
import { batchWorkflowId, uploadWorkflowId } from '#domain/uploads/ingest-jobs.ts';
import { Message } from '#domain/records/message.ts';
import { idsOf, longText, type Entries, type Flow } from '#test/support/harness/flow.ts';
import { until } from '#test/support/harness/eventually.ts';
import { CANARIES } from './canaries.ts';
import { crawlScenarios } from './crawl-scenarios.ts';
import { compressScenarios } from './compress-scenarios.ts';
import { oauthScenarios } from './oauth-scenarios.ts';
import { reembedScenarios } from './reembed-scenarios.ts';
import { archiveScenarios } from './archive-scenarios.ts';
import type { Scenario } from './scenario.ts';
import { playDownloads } from './play-downloads.ts';
import { memoryScenarios } from './memory-scenarios.ts';
import { webhookScenarios } from './webhook-scenarios.ts';

const { text, metadata_key, metadata_value, file_name, description, user } = CANARIES;
const WORDS: Entries = [
  ['metadata', JSON.stringify({ [metadata_key]: metadata_value })],
  ['description', description],
  ['user_id', user],
];
const file = (bytes: string, name: string = file_name) => ['files', new File([bytes], `${name}.txt`)] as const;
const small = (index = 0) => file(`A ${text}, number ${index}.`, `${file_name}-${index}`);
/** Too many for the express way. */
const many = () => Array.from({ length: 21 }, (_, index) => small(index));
/** Large enough to be paused or cancelled during ingestion. */
const big = () => file(longText(400, text));

/** Uploads, pauses at once, and waits until the batch workflow itself waits. */
async function sendPaused(flow: Flow, workflows: WorkflowClient, ...entries: Entries) {
  const upload = await flow.send(...entries, ...WORDS);
  const id = upload.upload_id ?? '';
  await flow.control(`/uploads/${id}/pause`);
  await untilBatchWaits(workflows, id);
  return { id, contentId: idsOf(upload)[0] };
}

/** Waits until the batch workflow waits for a signal; its upload shows the status paused a little earlier. */
const untilBatchWaits = (workflows: WorkflowClient, uploadId: string) =>
  until(
    async () => {
      const batch = workflows.getHandle(batchWorkflowId(uploadId, 0));
      const stage = await batch.query<string>('stage').catch(() => 'not there yet');
      if (stage !== 'paused') return false;
      const { events } = await batch.fetchHistory();
      return events?.some(({ timerStartedEventAttributes }) => timerStartedEventAttributes) ?? false;
    },
    (isResting) => isResting,
  );

const untilOver = (flow: Flow, uploadId: string) =>
  until(
    () => flow.progress(uploadId),
    ({ status }) => status !== 'running' && status !== 'paused',
  );

const createChunks = (flow: Flow, contentId: string) =>
  flow.api.post('/chunks/create', CreateChunksResponse, { json: { content_id: contentId }, status: 202 });

/** All scenarios by name. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  express: {
    runs: { ingestUploadV2: 1 },
    keep: ['ingestUploadV2'],
    play: async (flow) => void (await flow.upload(['content', `A ${text}.`], ...WORDS)),
  },
  'express-with-failures': {
    runs: { ingestUploadV2: 1 },
    keep: ['ingestUploadV2'],
    play: async (flow) => void (await flow.upload(small(1), file('   \n '), ...WORDS)),
  },
  plain: {
    runs: { ingestUploadV2: 1, ingestBatchV2: 1 },
    keep: ['ingestUploadV2', 'ingestBatchV2'],
    play: async (flow) => void (await flow.upload(...many(), ...WORDS)),
  },
  'with-failures': {
    runs: { ingestUploadV2: 1, ingestBatchV2: 1 },
    keep: ['ingestUploadV2', 'ingestBatchV2'],
    play: async (flow) => void (await flow.upload(...many(), file('   \n '), file(' \n\n ', 'blank'), ...WORDS)),
  },
  'several-batches': {
    runs: { ingestUploadV2: 1, ingestBatchV2: 3 },
    keep: ['ingestUploadV2'],
    play: async (flow) => {
      const files = Array.from({ length: 450 }, (_, index) => small(index));
      await flow.upload(...files, ...WORDS);
    },
  },
  downloads: {
    runs: { ingestUploadV2: 1, ingestBatchV2: 1 },
    keep: ['ingestBatchV2'],
    play: (flow) => playDownloads(flow, WORDS),
  },
  'paused-and-resumed': {
    runs: { ingestUploadV2: 1, ingestBatchV2: 1 },
    keep: ['ingestUploadV2', 'ingestBatchV2'],
    shows: { ingestBatchV2: ['TIMER_STARTED', 'TIMER_CANCELED', 'WORKFLOW_EXECUTION_SIGNALED'] },
    play: async (flow, workflows) => {
      const { id } = await sendPaused(flow, workflows, big());
      await flow.control(`/uploads/${id}/resume`);
      await untilOver(flow, id);
    },
  },
  'steered-by-an-operator': {
    runs: { ingestUploadV2: 1, ingestBatchV2: 1 },
    keep: ['ingestUploadV2'],
    shows: { ingestUploadV2: ['WORKFLOW_EXECUTION_SIGNALED', 'EXTERNAL_WORKFLOW_EXECUTION_SIGNALED'] },
    play: async (flow, workflows) => {
      const { upload_id } = await flow.send(big(), ...WORDS);
      const upload = workflows.getHandle(uploadWorkflowId(upload_id ?? ''));
      await until(
        () =>
          upload.signal('pause').then(
            () => true,
            () => false,
          ),
        (isSent) => isSent,
      );
      await untilBatchWaits(workflows, upload_id ?? '');
      await upload.signal('resume');
      await upload.signal('pause');
      await upload.signal('cancel');
      await untilOver(flow, upload_id ?? '');
    },
  },
  cancelled: {
    // The long text is a batch of its own.
    runs: { ingestUploadV2: 1, ingestBatchV2: 2 },
    keep: ['ingestBatchV2'],
    play: async (flow, workflows) => {
      const { id } = await sendPaused(flow, workflows, small(1), big());
      await flow.control(`/uploads/${id}/cancel`);
      await untilOver(flow, id);
    },
  },
  'batch-terminated': {
    runs: { ingestUploadV2: 1, ingestBatchV2: 1 },
    keep: ['ingestUploadV2'],
    shows: { ingestUploadV2: ['CHILD_WORKFLOW_EXECUTION_TERMINATED'] },
    play: async (flow, workflows) => {
      const { id } = await sendPaused(flow, workflows, big());
      await workflows.getHandle(batchWorkflowId(id, 0)).terminate('a test');
      await untilOver(flow, id);
    },
  },
  'changed-meanwhile': {
    runs: { ingestUploadV2: 1, ingestBatchV2: 1 },
    keep: ['ingestBatchV2'],
    play: async (flow, workflows) => {
      const sent = big();
      const { id } = await sendPaused(flow, workflows, sent);
      await flow.send(sent, ['metadata', JSON.stringify({ [metadata_key]: `${metadata_value} anew` })]);
      await flow.control(`/uploads/${id}/resume`);
      await untilOver(flow, id);
    },
  },
  'ingested-later': {
    runs: { ingestBatchV2: 1 },
    keep: ['ingestBatchV2'],
    play: async (flow) => {
      const [id] = idsOf(await flow.upload(small(), ['ingest', 'false'], ...WORDS));
      await createChunks(flow, id);
      await flow.reach(id, 'ready');
    },
  },
  reprojected: {
    runs: { ingestUploadV2: 1, reprojectContents: 1 },
    keep: ['reprojectContents'],
    play: async (flow) => {
      const sent = small();
      await flow.upload(sent, ...WORDS);
      await flow.upload(sent, ['metadata', JSON.stringify({ [metadata_key]: `${metadata_value} anew` })]);
    },
  },
  deleted: {
    runs: { ingestUploadV2: 1, deleteContent: 1 },
    keep: ['deleteContent'],
    play: async (flow) => void (await flow.delete(idsOf(await flow.upload(small(), ...WORDS))[0])),
  },
  'collection-deleted': {
    runs: { ingestUploadV2: 2, ingestBatchV2: 1, deleteCollection: 1 },
    keep: ['deleteCollection'],
    play: async (flow, workflows) => {
      await flow.upload(small(), ...WORDS);
      await sendPaused(flow, workflows, big());
      await flow.api.get(`/collections/${flow.collectionId}`, DeletionAccepted, { method: 'DELETE', status: 202 });
    },
  },
  'index-anew': {
    runs: { ingestUploadV2: 1, reindexWorkspace: 1 },
    keep: ['reindexWorkspace'],
    play: async (flow) => {
      await flow.upload(small(), ...WORDS);
      await flow.control(`/workspaces/${flow.workspaceId}/reindex`);
    },
  },
  'workspace-deleted': {
    runs: { ingestUploadV2: 1, deleteWorkspace: 1 },
    keep: ['deleteWorkspace'],
    play: async (flow) => {
      await flow.upload(small(), ...WORDS);
      await flow.api.get(`/workspaces/${flow.workspaceId}`, DeletionAccepted, { method: 'DELETE', status: 202 });
    },
  },
  'deleted-while-paused': {
    runs: { ingestUploadV2: 1, ingestBatchV2: 1, deleteContent: 1 },
    keep: ['ingestBatchV2'],
    play: async (flow, workflows) => {
      const { contentId } = await sendPaused(flow, workflows, big());
      await flow.delete(contentId);
    },
  },
  conversation: {
    runs: { extractMemories: 1, summariseConversation: 1 },
    keep: ['extractMemories', 'summariseConversation'],
    play: async ({ api }) => {
      const content = Array.from({ length: 21 }, (_, index) => ({ content: `A ${text}, ${index}.`, sender_id: user }));
      await api.post('/messages', z.array(Message), { json: { enable_memories: true, content }, status: 201 });
    },
  },
  ...crawlScenarios,
  ...archiveScenarios,
  ...memoryScenarios,
  ...webhookScenarios,
  ...oauthScenarios,
  ...reembedScenarios,
  ...compressScenarios,
  'continued-as-new': {
    runs: { ingestUploadV2: 2, ingestBatchV2: 104 },
    keep: ['ingestUploadV2'],
    isCostly: true,
    play: playContinued,
  },
};

/**
 * Makes the upload workflow continue as new. A run plans pages of 800 contents and ends after the page on which it reaches 100
 * batches. Therefore the first page contains 100 files of which no two fit into one batch, and there is one content more than the
 * page holds. All files are blank, because these are read fastest.
 */
async function playContinued(flow: Flow): Promise<void> {
  const files = Array.from({ length: 801 }, (_, index) => file(' '.repeat(index < 100 ? 4_300_000 : 1), `${index}`));
  const { upload_id } = await flow.send(...files, ...WORDS);
  await untilOver(flow, upload_id ?? '');
}
