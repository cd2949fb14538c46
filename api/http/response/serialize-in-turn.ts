import { setTimeout as delay } from 'node:timers/promises';

/** Writing JSON for longer than this makes the next response of the workspace wait. */
const NOTICEABLE_MS = 5;

/** The pauses after large responses, by workspace. */
const pauses = new Map<string, Promise<void>>();

/**
 * Runs synchronous work on a response of a workspace. After work that took noticeably long, the next response of that workspace
 * waits for as long as it took: a workspace that reads large pages uses half of the event loop at most, and no other one
 * waits for it longer than one page takes.
 */
export async function serializeInTurn<Result>(workspaceId: string, work: () => Result): Promise<Result> {
  // After each pause one response goes on, and may begin the next pause.
  for (let pause = pauses.get(workspaceId); pause !== undefined; pause = pauses.get(workspaceId)) await pause;
  const startedAt = performance.now();
  try {
    return work();
  } finally {
    const tookMs = performance.now() - startedAt;
    if (tookMs > NOTICEABLE_MS) pauses.set(workspaceId, pauseFor(workspaceId, tookMs));
  }
}

async function pauseFor(workspaceId: string, durationMs: number): Promise<void> {
  await delay(durationMs);
  pauses.delete(workspaceId);
}
