import { useEffect, useRef } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import type { AnswerQuestion } from '@loci/client/browser';
import { queryKeys } from '../../api/query-keys.ts';
import { useSession } from '../../app/session.tsx';
import { useAsked } from './use-asked.ts';
import { newAnswer, stopped, withEvent, type WrittenAnswer } from './written-answer.ts';

/** Asks questions, one at a time. Stopping, asking anew and leaving the page end the work of the service too. */
export function useAnswer() {
  const { loci } = useSession();
  const queries = useQueryClient();
  const { asked, add, update, forgetEarlier } = useAsked();
  const running = useRef<{ id: number; controller: AbortController } | null>(null);
  const stop = () => {
    if (running.current === null) return;
    const { id, controller } = running.current;
    running.current = null;
    controller.abort();
    update(id, stopped);
  };
  useStopOnLeaving(stop);

  const ask = async (question: AnswerQuestion) => {
    stop();
    const answer = newAnswer(question);
    const controller = new AbortController();
    running.current = { id: answer.id, controller };
    const { signal } = controller;
    add(answer);
    const change = (next: (before: WrittenAnswer) => WrittenAnswer) => {
      // An earlier answer may still say that it was ended.
      if (!signal.aborted) update(answer.id, next);
    };
    try {
      for await (const event of loci.streamAnswer(question, { signal })) {
        // Leaving the loop closes the connection, also where the browser does not pass the signal on to it.
        if (signal.aborted) break;
        change((before) => withEvent(before, event));
      }
    } catch (error) {
      change((before) => ({ ...before, status: 'failed', error: asError(error) }));
    }
    const { conversation_id: conversationId } = question;
    if (conversationId !== undefined) await queries.invalidateQueries({ queryKey: queryKeys.messages(conversationId) });
  };
  return { asked, ask, stop, forgetEarlier };
}

function useStopOnLeaving(stop: () => void): void {
  const latest = useRef(stop);
  useEffect(() => {
    latest.current = stop;
  });
  useEffect(() => () => latest.current(), []);
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
