/** Process that is killed in addition to the worker. `stall` suspends the worker instead, while a second worker runs. */
export type RoundKind = 'worker' | 'api' | 'temporal' | 'weaviate' | 'postgres' | 'stall';

/** An acknowledged content and its expected outcome. */
export type AcknowledgedContent = {
  contentId: string;
  collectionId: string;
  sentence: string;
  expectedOutcome: 'ready' | 'cancelled' | 'deleted';
  deletionId: string | null;
  /** Of its file; null for a text. */
  sha256: string | null;
};

export type RoundResult = {
  contents: AcknowledgedContent[];
  /** Number of kills or suspensions by process. */
  kills: Record<string, number>;
  /** Number of contents that failed because two workers died with them; a retry made them ready. */
  crashed: number;
  /** Contents that failed for another reason, with the reason. */
  failed: string[];
  /** True if some contents did not finish in time. */
  isStuck: boolean;
  /** Milliseconds from the end of the last kill until a search found all single texts that were uploaded meanwhile. */
  slowestTextMs: number;
};
