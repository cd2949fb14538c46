import type { EmbeddingSpace } from '#domain/embedder.ts';
import type { Tenant } from './connection.ts';
import { className } from './class-definition.ts';

/** Calls of one tenant since the uses were last taken. `firstMs`: how long the first took, which may have loaded the tenant. */
export type TenantUse = { space: EmbeddingSpace; tenant: string; firstMs: number };
export type TenantUses = { record(tenant: Tenant, durationMs: number): void; take(): TenantUse[] };

/** Uses of more tenants are not noticed until the next `take`. */
const MAX_TENANTS = 10_000;

/** Notes which tenants this process uses: a look-up in memory for each call. */
export function createTenantUses(): TenantUses {
  let uses = new Map<string, TenantUse>();
  return {
    record({ space, name }, durationMs) {
      const key = `${className(space)}/${name}`;
      if (uses.has(key) || uses.size >= MAX_TENANTS) return;
      uses.set(key, { space, tenant: name, firstMs: durationMs });
    },
    take() {
      const taken = [...uses.values()];
      uses = new Map();
      return taken;
    },
  };
}
