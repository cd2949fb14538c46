import type { JobStart } from '#domain/jobs.ts';
import { TASK_QUEUES } from '#domain/task-queues.ts';

/** Names, ids and arguments of the workflows of conversations. Imported by workflows: no zod, no I/O. */

/** `messages`: how many there are to tell of; the number of the last one. */
export type SummariseArgs = { workspace_id: string; conversation_id: string; messages: number };

/** The messages numbered `from` to `to`, both included. */
export type ExtractMemoriesArgs = { workspace_id: string; conversation_id: string; from: number; to: number };

/** What a step did: numbers only. */
export type SummaryOutcome = { messages: number; characters: number };
/** `next`: where to go on; null at the end. */
export type ExtractionOutcome = { memories: number; next: number | null };

/** Writes the summary of a conversation. Each length of it has a run of its own, so that none is lost when it grows meanwhile. */
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

/** Extracts memories from messages that were just stored. */
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

/** Messages before the first summary; of fewer there is nothing to be summarised. */
const MIN_NEW_MESSAGES = 2;

/** A new summary when there is this much more than the last one was asked for, as a share of it. */
const MIN_GROWTH_SHARE = 0.25;

/** True when a conversation has grown so much that its summary should be written anew. The longer it is, the rarer. */
export function isSummaryDue(messages: number, asked: number): boolean {
  return messages - asked >= Math.max(MIN_NEW_MESSAGES, Math.floor(asked * MIN_GROWTH_SHARE));
}
