import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** What happens to the tenants of the index. */
export type TenantMetrics = {
  /** Tenants of the index, those in memory and those that were deactivated. */
  setTenants(tenants: { active: number; inactive: number }): void;
  countDeactivatedTenants(count: number): void;
  /** Records the first call in a tenant that was deactivated. */
  observeTenantActivation(durationMs: number): void;
};

const ACTIVATION_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Registers the metrics of tenants. */
export function tenantMetrics(registry: Registry): TenantMetrics {
  const registers = [registry];
  const tenants = new Gauge({
    name: 'loci_index_tenants',
    help: 'Tenants of the search index, by state: active, or inactive until their next use.',
    labelNames: ['state'],
    registers,
  });
  const deactivated = new Counter({
    name: 'loci_index_tenants_deactivated_total',
    help: 'Tenants of the search index that were deactivated because nobody used them.',
    registers,
  });
  const seconds = new Histogram({
    name: 'loci_index_tenant_activation_seconds',
    help: 'Duration of the first call in a tenant that was deactivated.',
    buckets: ACTIVATION_SECONDS,
    registers,
  });
  return {
    setTenants({ active, inactive }) {
      tenants.set({ state: 'active' }, active);
      tenants.set({ state: 'inactive' }, inactive);
    },
    countDeactivatedTenants: (count) => deactivated.inc(count),
    observeTenantActivation: (durationMs) => seconds.observe(durationMs / 1000),
  };
}
