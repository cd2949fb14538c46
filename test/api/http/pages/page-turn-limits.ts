import type { PageTurnLimits } from '#api/http/response/page-turns.ts';

/** Bytes of a large page. */
export const LARGE = 1024 * 1024;
/** Limits that a few pages reach. */
export const PAGE_TURN_LIMITS: PageTurnLimits = {
  smallPages: 1_000,
  readBytes: LARGE,
  unsentBytes: 2 * LARGE,
  workspaceUnsentBytes: 4 * LARGE,
  waiting: 20,
  maxWaitMs: 30_000,
};
