import { startControlServer } from '#test/support/runner/control-server.ts';
import { TEST_STACK_VARIABLE, testStack, type TestStack, type TestStackFacts } from '#test/support/harness/stack.ts';
import type { BenchStack } from './bench-stack.ts';

type Product = Pick<BenchStack, 'services' | 'servers' | 'workspaceId'>;

/** Runs `use` with the running product as a test stack: it can create its own keys and kill processes. */
export async function withTestStack<Result>(
  bench: Product,
  use: (stack: TestStack) => Promise<Result>,
): Promise<Result> {
  const control = await startControlServer(processesOf(bench));
  try {
    process.env[TEST_STACK_VARIABLE] = JSON.stringify(factsOf(bench, control.url));
    return await use(testStack());
  } finally {
    await control.close();
  }
}

function processesOf({ services, servers }: Product) {
  const all = [services.api, services.worker, servers.postgres, servers.temporal, servers.weaviate];
  return new Map(all.flatMap((managed) => (managed === null ? [] : [[managed.name, managed] as const])));
}

function factsOf({ servers, workspaceId }: Product, controlUrl: string): TestStackFacts {
  return {
    baseUrl: `http://127.0.0.1:${servers.ports.api}`,
    workerUrl: `http://127.0.0.1:${servers.ports.worker}`,
    // Users of the stack create their own workspace and key.
    apiKey: '',
    adminToken: servers.environment['LOCI_ADMIN_TOKEN'] ?? '',
    workspaceId,
    collectionId: '',
    temporalUi: servers.temporalUi ?? '',
    stateDir: servers.context.stateDir,
    controlUrl,
    environment: servers.environment,
  };
}
