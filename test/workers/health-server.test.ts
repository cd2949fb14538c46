import type { Worker } from '@temporalio/worker';
import test from 'ava';
import { openOwnServices } from '#test/support/harness/own-services.ts';
import { freePorts } from '#stack/stack-ports.ts';
import { openHealthServer } from '#workers/health-server.ts';

test('a worker with loops alone is ready once it is connected to Temporal, not before', async (t) => {
  const { services } = await openOwnServices(t);
  const state: { workers: readonly Worker[] | null } = { workers: null };
  const address = { host: '127.0.0.1', port: (await freePorts()).worker };
  const health = await openHealthServer(services, address, {
    workers: () => state.workers,
    sdkMetrics: async () => '',
    embeddings: null,
  });
  t.teardown(() => health.close());
  const statusOf = async () => (await fetch(`http://${address.host}:${address.port}/readyz`)).status;
  t.is(await statusOf(), 503);
  state.workers = [];
  t.is(await statusOf(), 200);
});
