import type { ServerResponse } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import type { ErrorCode } from '#domain/app-error.ts';
import { createReaderPool, type Outcome, type ReadResult } from '#providers/readers/reader-pool.ts';
import { type UnstructuredOptions, withUnstructured } from '#providers/readers/external/unstructured.ts';
import { withTemporaryFile } from '#test/support/fixtures/read-bytes.ts';
import { startUnstructuredServer, type AskedOfUnstructured } from '#test/support/servers/unstructured-server.ts';

const MIB = 1024 * 1024;
const ELEMENTS = [
  { type: 'Header', text: 'Page header', metadata: { page_number: 1 } },
  { type: 'Title', text: 'Otters', metadata: { page_number: 1 } },
  { type: 'NarrativeText', text: 'They hold hands.', metadata: { page_number: 1 } },
  { type: 'ListItem', text: 'fish', metadata: { page_number: 2 } },
  {
    type: 'Table',
    text: 'a b',
    metadata: { page_number: 2, text_as_html: '<table><tr><td>a</td><td>b</td></tr></table>' },
  },
];

type Answer = (response: ServerResponse, asked: AskedOfUnstructured) => void;
type Seen = { outcome: Outcome<ReadResult> | undefined; text: string; asked: AskedOfUnstructured[] };

/** Reads one document through a server that responds as given. */
async function readThrough(
  answer: Answer,
  options: Partial<UnstructuredOptions> & { reader?: string } = {},
): Promise<Seen> {
  const { reader = 'unstructured', ...rest } = options;
  const server = await startUnstructuredServer(answer);
  const pool = createReaderPool({ processes: 1, memoryBytes: 512 * MIB, timeoutMs: 60_000, maxTextBytes: MIB });
  const settings = { url: server.url, apiKey: 'key', timeoutMs: 60_000, maxAnswerBytes: MIB, ...rest };
  try {
    return await withTemporaryFile('the document', async (path) => {
      const task = { path, name: 'o.pdf', mediaType: 'application/pdf', reader };
      await using batch = await withUnstructured(pool, settings).read([task]);
      const [outcome] = batch.outcomes;
      let text = '';
      if (outcome?.ok) for await (const part of outcome.result.text()) text += Buffer.from(part).toString();
      return { outcome, text, asked: server.asked };
    });
  } finally {
    await pool.close();
    await server.close();
  }
}

function failsWith(t: ExecutionContext, { outcome }: Seen, expected: { code: ErrorCode; message: RegExp }): void {
  if (!outcome || outcome.ok) return t.fail('the document was read');
  t.is(outcome.error.code, expected.code);
  t.regex(outcome.error.message, expected.message);
}

const elements: Answer = (response) => response.writeHead(200).end(JSON.stringify(ELEMENTS));
const status =
  (code: number): Answer =>
  (response) =>
    response.writeHead(code).end('{"detail": "no"}');

test('sends a document to the server with its strategy, and returns its elements as Markdown with pages', async (t) => {
  const { outcome, text, asked } = await readThrough(elements);
  t.is(text, '# Otters\n\nThey hold hands.\n\n- fish\n| a | b |\n| --- | --- |\n\n');
  t.deepEqual(outcome?.ok && outcome.result.pages.map(({ page }) => page), [1, 2]);
  t.deepEqual(asked, [{ strategy: 'auto', fileName: 'o.pdf', bytes: 'the document', key: 'key' }]);
  t.is((await readThrough(elements, { reader: 'unstructured_hi_res' })).asked[0]?.strategy, 'hi_res');
  t.is((await readThrough(elements, { reader: 'unstructured_fast' })).asked[0]?.strategy, 'fast');
});

test('rejects the document without a configured server, and names the setting', async (t) => {
  failsWith(t, await readThrough(elements, { url: null }), {
    code: 'reader_unavailable',
    message: /LOCI_UNSTRUCTURED_URL/,
  });
});

test('sends three requests to a failing server, and stops at the first success', async (t) => {
  const down = await readThrough(status(503));
  failsWith(t, down, { code: 'reader_unavailable', message: /Retry the content later/ });
  t.is(down.asked.length, 3);
  let requests = 0;
  const back = await readThrough((response, asked) =>
    ((requests += 1) === 1 ? status(503) : elements)(response, asked),
  );
  t.true(back.outcome?.ok);
});

test('does not retry a document that the server rejects', async (t) => {
  const refused = await readThrough(status(422));
  failsWith(t, refused, { code: 'unreadable', message: /status 422/ });
  t.is(refused.asked.length, 1);
  failsWith(t, await readThrough(status(401)), { code: 'reader_unavailable', message: /LOCI_UNSTRUCTURED_API_KEY/ });
});

test('reports slow, oversized and invalid responses with precise errors', async (t) => {
  failsWith(t, await readThrough((response) => response.writeHead(200).write('['), { timeoutMs: 300 }), {
    code: 'read_timeout',
    message: /0.3 s/,
  });
  const endless: Answer = (response) => {
    response.writeHead(200);
    const pour = (): void => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    };
    response.on('drain', pour);
    pour();
  };
  failsWith(t, await readThrough(endless), { code: 'read_output_limit', message: /more than 1 MiB/ });
  failsWith(t, await readThrough((response) => response.writeHead(200).end('<html>')), {
    code: 'reader_unavailable',
    message: /list of elements/,
  });
});

test('leaves documents for the next time that were not sent within the time to begin', async (t) => {
  const server = await startUnstructuredServer((response, asked) => {
    setTimeout(() => elements(response, asked), 500);
  });
  const pool = createReaderPool({ processes: 1, memoryBytes: 512 * MIB, timeoutMs: 60_000, maxTextBytes: MIB });
  const settings = { url: server.url, apiKey: null, timeoutMs: 60_000, maxAnswerBytes: MIB };
  try {
    await withTemporaryFile('the document', async (path) => {
      const task = { path, name: 'o.pdf', mediaType: 'application/pdf', reader: 'unstructured' };
      const tasks = Array.from({ length: 5 }, () => task);
      await using batch = await withUnstructured(pool, settings).read(tasks, { startWithinMs: 100 });
      const codes = batch.outcomes.map((outcome) => (outcome.ok ? 'read' : outcome.error.code));
      t.true(server.asked.length >= 1 && server.asked.length <= 2, `${server.asked.length} were sent`);
      t.true(codes.slice(2).every((code) => code === 'dependency_unavailable'));
    });
  } finally {
    await pool.close();
    await server.close();
  }
});

test('reads documents of other readers in the same call, with outcomes in order', async (t) => {
  const pool = createReaderPool({ processes: 1, memoryBytes: 512 * MIB, timeoutMs: 60_000, maxTextBytes: MIB });
  const settings = { url: null, apiKey: null, timeoutMs: 1_000, maxAnswerBytes: MIB };
  try {
    await withTemporaryFile('plain words', async (path) => {
      const task = { path, name: 'o.txt', mediaType: 'text/plain' };
      const readers = ['text', 'unstructured', 'native'];
      await using batch = await withUnstructured(pool, settings).read(readers.map((reader) => ({ ...task, reader })));
      t.deepEqual(
        batch.outcomes.map(({ ok }) => ok),
        [true, false, true],
      );
    });
  } finally {
    await pool.close();
  }
});

test('reports documents of other readers while the server is still reading', async (t) => {
  const { promise: isReported, resolve: reported } = Promise.withResolvers<void>();
  const server = await startUnstructuredServer((response, asked) => {
    // The server answers only after the other document was reported.
    void isReported.then(() => elements(response, asked));
  });
  const pool = createReaderPool({ processes: 1, memoryBytes: 512 * MIB, timeoutMs: 60_000, maxTextBytes: MIB });
  const settings = { url: server.url, apiKey: null, timeoutMs: 60_000, maxAnswerBytes: MIB };
  try {
    await withTemporaryFile('plain words', async (path) => {
      const task = { path, name: 'o.txt', mediaType: 'text/plain' };
      const seen: number[] = [];
      const onOutcome = (index: number): void => {
        seen.push(index);
        if (index === 1) reported();
      };
      const readers = ['unstructured', 'native'].map((reader) => ({ ...task, reader }));
      await using batch = await withUnstructured(pool, settings).read(readers, { onOutcome });
      t.deepEqual(seen, [1, 0]);
      t.true(batch.outcomes.every(({ ok }) => ok));
    });
  } finally {
    await pool.close();
    await server.close();
  }
});

test('workspaces take turns at the server', async (t) => {
  const { promise: isOpen, resolve: open } = Promise.withResolvers<void>();
  const server = await startUnstructuredServer((response, asked) => void isOpen.then(() => elements(response, asked)));
  const pool = createReaderPool({ processes: 1, memoryBytes: 512 * MIB, timeoutMs: 60_000, maxTextBytes: MIB });
  const settings = { url: server.url, apiKey: null, timeoutMs: 60_000, maxAnswerBytes: MIB };
  try {
    await withTemporaryFile('the document', async (path) => {
      const reading = withUnstructured(pool, settings);
      const readAll = async (share: string, count: number): Promise<void> => {
        const task = { path, name: `${share}.pdf`, mediaType: 'application/pdf', reader: 'unstructured' };
        await using batch = await reading.read(
          Array.from({ length: count }, () => task),
          { share },
        );
        t.true(batch.outcomes.every(({ ok }) => ok));
      };
      const both = [readAll('a', 8), readAll('b', 1)];
      open();
      await Promise.all(both);
      const order = server.asked.map(({ fileName }) => fileName);
      t.true(order.indexOf('b.pdf') <= 3, order.join(' '));
    });
  } finally {
    await pool.close();
    await server.close();
  }
});
