import { useQuery, useQueryClient } from '@tanstack/react-query';
import { queryKeys } from '../../api/query-keys.ts';
import type { WrittenAnswer } from './written-answer.ts';

/** Answers that are kept; each has its passages. */
const MAX_KEPT = 20;

/**
 * What was asked in this tab since somebody signed in, the newest first. It stays when the page is left, and is forgotten
 * with everything else that was loaded.
 */
export function useAsked() {
  const queries = useQueryClient();
  const queryKey = queryKeys.asked();
  const { data: asked } = useQuery<readonly WrittenAnswer[]>({
    queryKey,
    enabled: false,
    initialData: [],
    gcTime: Infinity,
  });
  const change = (next: (before: readonly WrittenAnswer[]) => readonly WrittenAnswer[]) => {
    queries.setQueryData<readonly WrittenAnswer[]>(queryKey, (before = []) => next(before).slice(0, MAX_KEPT));
  };
  return {
    asked,
    add: (answer: WrittenAnswer) => change((before) => [answer, ...before]),
    update: (id: number, next: (before: WrittenAnswer) => WrittenAnswer) =>
      change((before) => before.map((one) => (one.id === id ? next(one) : one))),
    forgetEarlier: () => change((before) => before.slice(0, 1)),
  };
}
