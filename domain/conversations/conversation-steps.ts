import type { ExtractionOutcome, ExtractMemoriesArgs, SummariseArgs, SummaryOutcome } from './conversation-jobs.ts';

/** Activities of the conversation workflows. Imported by workflows: no zod, no I/O. */
export type ConversationSteps = {
  /** Writes the summary of a conversation: with the chat model, or from sentences of the messages when there is none. */
  summariseMessages(args: SummariseArgs): Promise<SummaryOutcome>;
  /** Extracts memories from one batch of messages and returns where to continue. */
  extractFromMessages(args: ExtractMemoriesArgs): Promise<ExtractionOutcome>;
};
