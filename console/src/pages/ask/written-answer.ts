import type { AnswerEvent, AnswerQuestion } from '@loci/client/browser';
import type { Schemas } from '../../api/schemas.ts';

/** An answer while it is written, and afterwards. */
export type WrittenAnswer = {
  /** Tells the answers of this tab apart. */
  id: number;
  question: AnswerQuestion;
  status: 'writing' | 'done' | 'stopped' | 'failed';
  text: string;
  /** Null until the search has ended. */
  passages: readonly Schemas['AnswerPassage'][] | null;
  citations: readonly Schemas['Citation'][];
  failedCollections: readonly Schemas['FailedCollection'][];
  /** The whole answer, when it is done. */
  answer: Schemas['Answer'] | null;
  error: Error | null;
};

let lastId = 0;

/** Returns what is known of an answer when its question is asked. */
export function newAnswer(question: AnswerQuestion): WrittenAnswer {
  lastId += 1;
  return {
    id: lastId,
    question,
    status: 'writing',
    text: '',
    passages: null,
    citations: [],
    failedCollections: [],
    answer: null,
    error: null,
  };
}

/** Returns an answer with what an event says of it. */
export function withEvent(before: WrittenAnswer, { event, data }: AnswerEvent): WrittenAnswer {
  if (event === 'delta') return { ...before, text: before.text + data.text };
  if (event === 'citation') return { ...before, citations: [...before.citations, data] };
  const found = { ...before, passages: data.passages, failedCollections: data.failed_collections };
  if (event === 'sources') return found;
  return { ...found, status: 'done', text: data.answer, citations: data.citations, answer: data };
}

/** Returns an answer that nobody waits for any more. */
export function stopped(before: WrittenAnswer): WrittenAnswer {
  return before.status === 'writing' ? { ...before, status: 'stopped' } : before;
}
