import type { ExtractionOutcome, ExtractMemoriesArgs, SummariseArgs, SummaryOutcome } from './conversation-jobs.ts';

/** The steps of the workflows of conversations. Imported by workflows: no zod, no I/O. */
export type ConversationSteps = {
  /** Writes the summary; with the chat model, or of sentences as they were said. */
  summariseMessages(args: SummariseArgs): Promise<SummaryOutcome>;
  /** Extracts memories from some of the messages; says where to go on. */
  extractFromMessages(args: ExtractMemoriesArgs): Promise<ExtractionOutcome>;
};
