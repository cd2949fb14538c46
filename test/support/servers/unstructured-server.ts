import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';

export type AskedOfUnstructured = { strategy: string; fileName: string; bytes: string; key: string | undefined };
export type UnstructuredServer = { url: string; asked: AskedOfUnstructured[]; close(): Promise<void> };

/** Starts a server that implements the partition endpoint of Unstructured's API and passes each request to `answer`. */
export async function startUnstructuredServer(
  answer: (response: ServerResponse, asked: AskedOfUnstructured) => void,
): Promise<UnstructuredServer> {
  const asked: AskedOfUnstructured[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const parts: Uint8Array[] = [];
      for await (const part of request) parts.push(part);
      if (request.method !== 'POST' || request.url !== '/general/v0/general') {
        response.writeHead(404).end();
        return;
      }
      const form = await new Response(Buffer.concat(parts), {
        headers: { 'content-type': request.headers['content-type'] ?? '' },
      }).formData();
      const [file, strategy] = [form.get('files'), form.get('strategy')];
      const key = request.headers['unstructured-api-key'];
      const heard = {
        strategy: typeof strategy === 'string' ? strategy : '',
        fileName: file instanceof File ? file.name : '',
        bytes: file instanceof File ? await file.text() : '',
        key: typeof key === 'string' ? key : undefined,
      };
      asked.push(heard);
      answer(response, heard);
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    asked,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
