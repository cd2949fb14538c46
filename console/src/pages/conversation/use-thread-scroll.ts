import { useLayoutEffect, useRef } from 'react';
import type { Schemas } from '../../api/schemas.ts';

/** The id of the element of a message. */
export const messageElementId = (id: string) => `message-${id}`;

const topOf = (id: string) => document.getElementById(messageElementId(id))?.getBoundingClientRect().top;

/** With the oldest messages, the button for them disappears: the focus goes to the message that was below it. */
function keepFocus(id: string): void {
  if (document.activeElement !== document.body) return;
  document.getElementById(messageElementId(id))?.focus({ preventScroll: true });
}

/** Whether the last message so far is on the screen or above it: who reads older ones is left there. */
const isSeen = (id: string | undefined) => id === undefined || (topOf(id) ?? 0) < window.innerHeight;

/** Shows the end of a thread that is opened or grows. What is read stays in its place when older messages appear above it. */
export function useThreadScroll(messages: readonly Schemas['Message'][] | undefined) {
  const end = useRef<HTMLDivElement>(null);
  const kept = useRef<{ id: string; top: number } | null>(null);
  const last = useRef<string | undefined>(undefined);
  const keep = () => {
    const id = messages?.[0]?.id;
    const top = id === undefined ? undefined : topOf(id);
    if (id !== undefined && top !== undefined) kept.current = { id, top };
  };
  useLayoutEffect(() => {
    const newest = messages?.at(-1)?.id;
    if (kept.current !== null && messages?.[0]?.id !== kept.current.id) {
      window.scrollBy(0, (topOf(kept.current.id) ?? kept.current.top) - kept.current.top);
      keepFocus(kept.current.id);
      kept.current = null;
    } else if (newest !== last.current && isSeen(last.current)) {
      end.current?.scrollIntoView({ block: 'end' });
    }
    last.current = newest;
  }, [messages]);
  return { end, keep };
}
