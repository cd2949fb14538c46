import { startControlServer } from '#test/support/harness/control-server.ts';
import { TEST_STACK_VARIABLE, testStack, type TestStack, type TestStackFacts } from '#test/support/harness/stack.ts';
import type { BenchStack } from './bench-stack.ts';

/** Lets `use` have the running product as tests have it: with keys of its own making, and processes that it can kill. */
export async function asTestStack<Result>(
  bench: BenchStack,
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

function processesOf({ services, servers }: BenchStack) {
  const all = [services.api, services.worker, servers.postgres, servers.temporal, servers.weaviate];
  return new Map(all.flatMap((managed) => (managed === null ? [] : [[managed.name, managed] as const])));
}

function factsOf({ servers, workspaceId }: BenchStack, controlUrl: string): TestStackFacts {
  return {
    baseUrl: `http://127.0.0.1:${servers.ports.api}`,
    workerUrl: `http://127.0.0.1:${servers.ports.worker}`,
    // Whoever uses it makes a workspace and a key of its own.
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
