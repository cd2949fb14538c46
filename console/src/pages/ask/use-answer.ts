import { useEffect, useRef, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import type { AnswerEvent, AnswerQuestion } from '@loci/client/browser';
import { queryKeys } from '../../api/query-keys.ts';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';

/** An answer while it is written, and afterwards. */
export type WrittenAnswer = {
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

/** Asks questions, one at a time. Stopping, asking anew and leaving the page end the work of the service too. */
export function useAnswer() {
  const { loci } = useSession();
  const queries = useQueryClient();
  const [written, setWritten] = useState<WrittenAnswer | null>(null);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);

  const ask = async (question: AnswerQuestion) => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    const { signal } = controller;
    const update = (change: (before: WrittenAnswer) => WrittenAnswer) => {
      // An earlier answer may still say that it was ended.
      if (running.current === controller) setWritten((before) => (before === null ? null : change(before)));
    };
    setWritten(newAnswer(question));
    try {
      for await (const event of loci.streamAnswer(question, { signal })) {
        // Leaving the loop closes the connection, also where the browser does not pass the signal on to it.
        if (signal.aborted) break;
        update((before) => withEvent(before, event));
      }
    } catch (error) {
      if (!signal.aborted) update((before) => ({ ...before, status: 'failed', error: asError(error) }));
    }
    const { conversation_id: conversationId } = question;
    if (conversationId !== undefined) await queries.invalidateQueries({ queryKey: queryKeys.messages(conversationId) });
  };
  const stop = () => {
    running.current?.abort();
    setWritten((before) => (before?.status === 'writing' ? { ...before, status: 'stopped' } : before));
  };
  return { written, ask, stop };
}

function newAnswer(question: AnswerQuestion): WrittenAnswer {
  return {
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

function withEvent(before: WrittenAnswer, { event, data }: AnswerEvent): WrittenAnswer {
  if (event === 'delta') return { ...before, text: before.text + data.text };
  if (event === 'citation') return { ...before, citations: [...before.citations, data] };
  const found = { ...before, passages: data.passages, failedCollections: data.failed_collections };
  if (event === 'sources') return found;
  return { ...found, status: 'done', text: data.answer, citations: data.citations, answer: data };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
