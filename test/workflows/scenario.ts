import type { WorkflowClient } from '@temporalio/client';
import type { Flow } from '#test/support/harness/flow.ts';

export type WorkflowType =
  | 'ingestUploadV2'
  | 'ingestBatchV2'
  // Batches of crawls.
  | 'ingestBatch'
  | 'crawlSite'
  | 'deleteContent'
  | 'deleteParts'
  | 'deleteCollection'
  | 'deleteWorkspace'
  | 'reindexWorkspace'
  | 'reembedCollection'
  | 'reprojectContents'
  | 'extractMemories'
  | 'forgetUser'
  | 'summariseConversation'
  | 'deliverToReceiver'
  | 'oauthRefresh'
  | 'refreshDueConnections'
  | 'compressText';

export type Scenario = {
  /** Starts workflows in the workspace of the flow and waits until they have completed. */
  play(flow: Flow, workflows: WorkflowClient): Promise<void>;
  /** The exact number of runs by workflow type. */
  runs: Partial<Record<WorkflowType, number>>;
  /** Types that may run more often: pages that a crawl finds late get a batch of their own. */
  orMore?: readonly WorkflowType[];
  /** Workflow types whose first run is recorded. */
  keep: readonly WorkflowType[];
  /** Event types that the recorded histories must contain, by workflow type. */
  shows?: Partial<Record<WorkflowType, readonly string[]>>;
  /** Too expensive for every test run. */
  isCostly?: boolean;
};
