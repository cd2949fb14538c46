import type { WorkflowClient } from '@temporalio/client';
import type { Flow } from '#test/support/harness/flow.ts';

export type WorkflowType =
  | 'ingestUpload'
  | 'ingestBatch'
  | 'crawlSite'
  | 'deleteContent'
  | 'deleteParts'
  | 'deleteCollection'
  | 'deleteWorkspace'
  | 'reindexWorkspace'
  | 'reprojectContents'
  | 'extractMemories'
  | 'summariseConversation'
  | 'deliverWebhook'
  | 'oauthRefresh'
  | 'refreshDueConnections'
  | 'compressText';

export type Scenario = {
  /** Brings workflows about in the workspace of the flow, and lets them come to their end. */
  play(flow: Flow, workflows: WorkflowClient): Promise<void>;
  /** How many runs of which workflow there are then, and no other ones. */
  runs: Partial<Record<WorkflowType, number>>;
  /** Of which there may be more: pages that come late to a crawl go in a batch of their own. */
  orMore?: readonly WorkflowType[];
  /** Of which workflows a recording is kept: the first run of each. */
  keep: readonly WorkflowType[];
  /** Events that make this scenario what it is, by recorded workflow. */
  shows?: Partial<Record<WorkflowType, readonly string[]>>;
  /** Too costly to be played in every test run. */
  isCostly?: boolean;
};
