import { useSyncExternalStore } from 'react';

const MINUTE_MS = 60_000;
const listeners = new Set<() => void>();
let minutes = 0;
let timer: ReturnType<typeof setInterval> | undefined;

/** Renders a component anew every minute, all at the same time. Returns how many have passed. */
export function useMinutes(): number {
  return useSyncExternalStore(subscribe, () => minutes);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, MINUTE_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  minutes += 1;
  for (const listener of listeners) listener();
}
