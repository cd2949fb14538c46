import { randomUUID } from 'node:crypto';
import type { Services } from '#operations/services.ts';

/** Periodic work that one process does for all. */
export type Maintenance = {
  /** Takes or renews the lease. To be called every few seconds. */
  renew(): Promise<void>;
  /** Whether this process has the lease. Two may have it for a moment, which does no harm: all of the work is repeatable. */
  isHeld(): boolean;
  /** Never rejects: a lease that is not given up ends by itself. */
  release(): Promise<void>;
};

/** The work of a process that was killed is taken over after this time. */
const LEASE_MS = 8_000;

/** Returns the maintenance of this process, which does not hold the lease yet. */
export function createMaintenance(
  { stores }: Pick<Services, 'stores'>,
  { leaseMs = LEASE_MS }: { leaseMs?: number } = {},
): Maintenance {
  const holder = randomUUID();
  let heldUntilMs = 0;
  return {
    async renew() {
      // From before the request: the lease begins later, in the database.
      const fromMs = performance.now();
      const isHeld = await stores.system.holdMaintenance(holder, leaseMs);
      heldUntilMs = isHeld ? fromMs + leaseMs : 0;
    },
    isHeld: () => performance.now() < heldUntilMs,
    async release() {
      heldUntilMs = 0;
      await stores.system.releaseMaintenance(holder).catch(() => undefined);
    },
  };
}
