import type { JobStart } from '#domain/jobs.ts';
import { TASK_QUEUES } from '#domain/task-queues.ts';

/** Types, ids and arguments of the conversation workflows. Imported by workflows: no zod, no I/O. */

/** `messages`: the number of messages to summarise, which is also the `seq` of the last one. */
export type SummariseArgs = { workspace_id: string; conversation_id: string; messages: number };

/** The messages whose `seq` is between `from` and `to`, both inclusive. */
export type ExtractMemoriesArgs = { workspace_id: string; conversation_id: string; from: number; to: number };

/** Activity results hold counts only, because Temporal stores them in the workflow history. */
export type SummaryOutcome = { messages: number; characters: number };
/** `next`: the `seq` to continue from; null when all messages are processed. */
export type ExtractionOutcome = { memories: number; next: number | null };

/**
 * Returns the job that writes the summary of a conversation. The workflow id contains the number of messages, so a conversation
 * that grows while a summary is being written gets another run.
 */
export function summariseJob(args: SummariseArgs): JobStart {
  return {
    workflow_type: 'summariseConversation',
    workflow_id: `summarise/${args.conversation_id}/${args.messages}`,
    workspace_id: args.workspace_id,
    task_queue: TASK_QUEUES.workflows,
    args,
    summary: `Summarise ${args.messages} messages of conversation ${args.conversation_id}`,
  };
}

/** Returns the job that extracts memories from newly stored messages. */
export function extractMemoriesJob(args: ExtractMemoriesArgs): JobStart {
  return {
    workflow_type: 'extractMemories',
    workflow_id: `extract-memories/${args.conversation_id}/${args.from}`,
    workspace_id: args.workspace_id,
    task_queue: TASK_QUEUES.workflows,
    args,
    summary: `Extract memories from ${args.to - args.from + 1} messages of conversation ${args.conversation_id}`,
  };
}

/** Fewest new messages that a summary is written for. */
const MIN_NEW_MESSAGES = 2;
/** How much a conversation must grow before its next summary, as a share of its length at the last one. */
const MIN_GROWTH_SHARE = 0.25;

/**
 * Returns whether a conversation of `messages` messages needs a new summary when the last one was requested at
 * `summarisedMessages`. Summaries become rarer as a conversation grows.
 */
export function isSummaryDue(messages: number, summarisedMessages: number): boolean {
  return messages - summarisedMessages >= Math.max(MIN_NEW_MESSAGES, Math.floor(summarisedMessages * MIN_GROWTH_SHARE));
}

/** Activities of the conversation workflows. Imported by workflows: no zod, no I/O. */
export type ConversationSteps = {
  /** Writes the summary of a conversation: with the chat model, or from sentences of the messages when there is none. */
  summariseMessages(args: SummariseArgs): Promise<SummaryOutcome>;
  /** Extracts memories from one batch of messages and returns where to continue. */
  extractFromMessages(args: ExtractMemoriesArgs): Promise<ExtractionOutcome>;
};
