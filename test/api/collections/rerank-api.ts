import { apiClient, type ApiClient } from '#test/support/harness/api-client.ts';
import { startSecondProcess } from '#test/support/harness/second-process.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { startRerankServer, type RerankServer } from '#test/support/servers/models/rerank-server.ts';

/** An API of the stack whose reranking model does what a test says. */
export type RerankApi = {
  url: string;
  server: RerankServer;
  client(key: string): ApiClient;
  close(): Promise<void>;
};

/** Starts a reranking server, and an API that asks it. */
export async function startRerankApi(): Promise<RerankApi> {
  const server = await startRerankServer('cohere');
  const api = await startSecondProcess(testStack(), {
    kind: 'api',
    name: 'rerank-api',
    environment: {
      LOCI_RERANK_BASE_URL: server.baseUrl,
      LOCI_RERANK_MODEL: 'scripted',
      LOCI_RERANK_TIMEOUT_S: '2',
    },
  });
  return {
    url: api.url,
    server,
    client: (key) => apiClient(key, '/api/v1', { baseUrl: api.url }),
    async close() {
      await Promise.all([api.stop(), server.close()]);
    },
  };
}

/** Files about otters for an upload: the lower its number, the more otters a file has. */
export function otterFiles(count: number) {
  return Array.from({ length: count }, (_, index) => {
    const text = `Habits number ${index}. ${'The otter. '.repeat(count - index)}`;
    return ['files', new File([text], `${index}.txt`)] as const;
  });
}
