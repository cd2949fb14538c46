import { AppError } from '#domain/app-error.ts';
import { FairSlots } from '#domain/fair-slots.ts';
import { DEFAULT_RERANK_DEPTH } from '#domain/records/rerank-option.ts';
import type { Reranker, RerankOutcome } from '#domain/reranker.ts';
import type { RerankWork } from './rerank-calls.ts';
import { RerankCircuits } from './rerank-circuits.ts';
import { RerankError } from './rerank-error.ts';

/** Longest query that a model is given, in UTF-16 code units, and as a part of the longest passage: the rest is cut. */
const MAX_QUERY_CHARACTERS = 2_000;
const QUERY_PART = 0.5;

/** Part of the time limit after which a search no longer waits for its turn, so that the model has the rest. */
const PATIENCE = 0.5;

/** `deadline` aborts when nobody waits for the scores any more. */
export type ScoreCall = RerankWork & { deadline: AbortSignal };

/** What kinds of rerankers differ in. `slots`: searches that are scored at the same time. */
export type Scorer = {
  name: string;
  timeoutMs: number;
  /** Longest passage that the model is given, in UTF-16 code units: the rest is cut. */
  passageCharacters: number;
  /** Whether its scores are known to be logits, whatever numbers they are. */
  returnsLogits: boolean;
  slots: number;
  /** Returns one score for each passage, in their order. Rejects with an AppError. */
  score: (call: ScoreCall) => Promise<number[]>;
  close: () => Promise<void>;
};

/**
 * Creates a reranker that answers in time: with scores, or with the reason why there are none. A few searches are scored at the
 * same time, workspaces in turn; while the model fails, or its server asks to wait, it is not asked.
 */
export function createScoredReranker(scorer: Scorer): Reranker {
  const { name, timeoutMs, passageCharacters, slots, score, close } = scorer;
  const queryCharacters = Math.min(MAX_QUERY_CHARACTERS, Math.floor(passageCharacters * QUERY_PART));
  let { returnsLogits } = scorer;
  const turns = new FairSlots(slots);
  const circuits = new RerankCircuits();
  const scoreInTurn = async (call: ScoreCall, share: string): Promise<number[]> => {
    const patience = AbortSignal.timeout(Math.ceil(timeoutMs * PATIENCE));
    const turn = await turns.hold({ share, lane: 'express', signal: patience }).catch((cause: unknown) => {
      throw new RerankError('busy', 'The reranker is busy with other searches. Try again.', { cause });
    });
    try {
      const isGreat = call.passages.length > DEFAULT_RERANK_DEPTH;
      return await circuits.run(async () => checkScores(await score(call)), { share, isGreat });
    } finally {
      turn[Symbol.dispose]();
    }
  };
  return {
    name,
    async rerank({ query, passages, share }): Promise<RerankOutcome> {
      const deadline = AbortSignal.timeout(timeoutMs);
      const cutPassages = passages.map((passage) => cut(passage, passageCharacters));
      const call = { query: cut(query, queryCharacters), passages: cutPassages, deadline };
      const late = Promise.withResolvers<never>();
      const giveUp = () => late.reject(timedOut(timeoutMs));
      deadline.addEventListener('abort', giveUp, { once: true });
      try {
        const scores = await Promise.race([scoreInTurn(call, share), late.promise]);
        returnsLogits ||= scores.some((one) => one < 0 || one > 1);
        return { scores };
      } catch (error) {
        return toOutcome(error);
      } finally {
        deadline.removeEventListener('abort', giveUp);
      }
    },
    returnsLogits: () => returnsLogits,
    close,
  };
}

function checkScores(scores: number[]): number[] {
  if (scores.every(Number.isFinite)) return scores;
  throw new RerankError('invalid_response', 'The reranking model returned a score that is not a finite number.');
}

/** The error of a reranker that has not answered in time. */
export function timedOut(timeoutMs: number): RerankError {
  return new RerankError('timeout', `The reranker did not answer within ${timeoutMs / 1000} s.`);
}

/** Cuts a text, without leaving half of a character. */
function cut(text: string, maxCharacters: number): string {
  return text.length <= maxCharacters ? text : text.slice(0, maxCharacters).replace(/[\ud800-\udbff]$/, '');
}

function toOutcome(error: unknown): RerankOutcome {
  if (error instanceof RerankError) return { reason: error.reason, message: error.message };
  if (error instanceof AppError) return { reason: 'unavailable', message: error.message };
  return { reason: 'unavailable', message: 'The reranker failed.' };
}
