import { query, type Database } from '#store/postgres.ts';

/** The lease on periodic work that one process does for all. Its clock is that of the database. */
export function createMaintenanceLease(database: Database) {
  return {
    /**
     * Takes or renews the lease for `leaseMs`; false while another process holds it. One that ends later than anybody asked for
     * was taken before the clock went back, and is not waited for: its holder may be dead. Small steps of the clock take it from
     * nobody.
     */
    async holdMaintenance(holder: string, leaseMs: number): Promise<boolean> {
      const held = await query(
        database,
        `insert into maintenance_lease as l (id, holder, held_until)
         values (1, :holder, clock_timestamp() + :leaseMs::bigint * interval '1 millisecond')
         on conflict (id) do update set holder = excluded.holder, held_until = excluded.held_until
         where l.holder = excluded.holder or l.held_until < clock_timestamp()
           or l.held_until > clock_timestamp() + 2 * :leaseMs::bigint * interval '1 millisecond' returning id`,
        { holder, leaseMs },
      );
      return held.length === 1;
    },

    /** Gives the lease up, so that another process need not wait for its end. */
    async releaseMaintenance(holder: string): Promise<void> {
      await query(database, 'delete from maintenance_lease where holder = :holder', { holder });
    },
  };
}
