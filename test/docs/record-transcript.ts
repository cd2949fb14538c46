import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { createKey } from '#test/support/harness/api-client.ts';
import { startFlow } from '#test/support/harness/flow.ts';
import { testStack } from '#test/support/harness/stack.ts';

type Exchange = { request: unknown; response: unknown };

const Message = z.looseObject({ id: z.union([z.string(), z.int()]).optional(), method: z.string().optional() });
const READING = ['collections:read', 'contents:read', 'uploads:read', 'memories:read'];
const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const TIME = /\b20\d\d-\d\d-\d\dT[\d:.]+Z/g;
/** The one tool whose schemas are shown whole, once. */
const SHOWN_TOOL = 'search';

const OTTERS = '# Otters\n\nOtters hold hands while they sleep, so that they do not drift apart.\n';

const INTRODUCTION = `# Transcript of the Model Context Protocol

What the official client of the TypeScript SDK and \`/mcp\` send each other, recorded by \`npm run transcript\` from the running
service and compared with it by \`npm test\`. Ids and times are replaced; of the schemas of tools, only those of \`${SHOWN_TOOL}\` are shown, once.
[mcp.md](mcp.md) explains the tools.
`;

/** Records a session with a key that may do everything, and one with a key that may read. Returns Markdown, not yet formatted. */
export async function recordTranscript(version: string): Promise<string> {
  const [own, foreign] = [await startFlow(), await startFlow()];
  const { uploads } = await own.upload(['files', new File([OTTERS], 'otters.md')]);
  const readingKey = await createKey({ workspaceId: own.workspaceId, permissions: READING });
  const id = uploads[0]?.content_id ?? '';
  const full = await openRecorded(own.key);
  const reading = await openRecorded(readingKey.key);
  const parts = [
    section('initialize', full.exchanges),
    section('tools/list with a key that permits everything', await full.record(({ client }) => client.listTools()), {
      shown: SHOWN_TOOL,
    }),
    section(
      'tools/list with a key that permits reading: no tool that writes is seen',
      await reading.record(({ client }) => client.listTools()),
    ),
    section(
      'add_memory with the key that permits reading',
      await reading.record(({ call }) => call('add_memory', { user_id: 'ada', memory: 'Likes otters.' })),
    ),
    section('search', await full.record(({ call }) => call('search', { query: 'How do otters sleep?' }))),
    section('answer', await full.record(({ call }) => call('answer', { question: 'How do otters sleep?' }))),
    section(
      'search in a collection of another workspace',
      await full.record(({ call }) => call('search', { query: 'otters', collection_ids: [foreign.collectionId] })),
    ),
    section('resources/read', await full.record(({ client }) => client.readResource({ uri: `loci://contents/${id}` }))),
  ];
  await Promise.all([full.client.close(), reading.client.close()]);
  return withoutVariables([INTRODUCTION, ...parts].join('\n'), version);
}

/** A client whose messages are recorded. */
async function openRecorded(key: string) {
  const client = new Client({ name: 'transcript', version: '1.0.0' });
  let exchanges: Exchange[] = [];
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', testStack().baseUrl), {
    requestInit: { headers: { Authorization: `Bearer ${key}` } },
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      const request: unknown = typeof init?.body === 'string' ? JSON.parse(init.body) : null;
      if (request !== null && Message.parse(request).id !== undefined) {
        exchanges.push({ request, response: messageOf(await response.clone().text()) });
      }
      return response;
    },
  });
  await client.connect(transport);
  const call = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args });
  return {
    client,
    exchanges,
    record: async (send: (recorded: { client: Client; call: typeof call }) => Promise<unknown>) => {
      exchanges = [];
      await send({ client, call });
      return exchanges;
    },
  };
}

/** The message of a response: JSON, or the last event of a stream. */
function messageOf(text: string): unknown {
  const events = [...text.matchAll(/^data: ?(.+)$/gm)].map(([, data = '']) => data);
  return JSON.parse(events.at(-1) ?? text);
}

/** `shown`: the tool whose schemas are shown. */
function section(title: string, exchanges: readonly Exchange[], { shown }: { shown?: string } = {}): string {
  const block = (message: unknown) => `\`\`\`json\n${JSON.stringify(message, briefSchemas(shown), 2)}\n\`\`\`\n`;
  const parts = exchanges.map(
    ({ request, response }) => `Request:\n\n${block(request)}\nResponse:\n\n${block(response)}`,
  );
  return `## ${title}\n\n${parts.join('\n')}`;
}

function briefSchemas(shown: string | undefined) {
  return (_key: string, value: unknown): unknown => {
    const tool = z.looseObject({ name: z.string(), inputSchema: z.looseObject({}) }).safeParse(value);
    if (!tool.success || tool.data.name === shown) return value;
    return { ...tool.data, inputSchema: { type: 'object', '…': '…' }, outputSchema: { type: 'object', '…': '…' } };
  };
}

/** Ids are numbered in the order in which they appear. */
function withoutVariables(text: string, version: string): string {
  const ids = new Map<string, string>();
  const numbered = (id: string) => {
    const known = ids.get(id) ?? `00000000-0000-7000-8000-${String(ids.size + 1).padStart(12, '0')}`;
    ids.set(id, known);
    return known;
  };
  return text
    .replaceAll(UUID, numbered)
    .replaceAll(TIME, '2026-01-01T00:00:00.000Z')
    .replaceAll(`"version": "${version}"`, '"version": "…"');
}
