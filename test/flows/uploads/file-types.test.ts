import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import type { ErrorCode } from '#domain/app-error.ts';
import { SEARCH_TYPES } from '#domain/records/search.ts';
import { UploadResponse } from '#domain/records/upload.ts';
import { formFor } from '#test/support/harness/api-client.ts';
import { compoundFile } from '#test/support/fixtures/compound-file.ts';
import { docFile } from '#test/support/fixtures/doc-file.ts';
import { docx, docxParagraph, pdf } from '#test/support/fixtures/documents.ts';
import { idsOf, startFlow } from '#test/support/harness/flow.ts';
import { DOWNLOAD_ADDRESS } from '#test/support/harness/stack.ts';

const filler = 'Nothing of note happened on that day, and the harbour office closed early.';
/** Documents with one sentence each, about a subject that no other document mentions, and the text that the reader extracts. */
const documents: Record<string, { file: () => File; question: string; sentence: RegExp; type: string }> = {
  text: {
    file: () => new File([`${filler}\n\nThe marmot digs burrows below the alpine meadow.\n`], 'notes.txt'),
    question: 'marmot digs burrows alpine meadow',
    sentence: /The marmot digs burrows/,
    type: 'text/plain',
  },
  markdown: {
    file: () => new File([`# Birds\n\n## Puffins\n\nA puffin carries **ten sandeels** in its beak.\n`], 'birds.md'),
    question: 'puffin carries sandeels in its beak',
    sentence: /A puffin carries \*\*ten sandeels\*\*/,
    type: 'text/markdown',
  },
  html: {
    file: () =>
      new File(
        [
          `<!doctype html><title>Clocks</title><body><script>var x = 1</script><article><h1>Clocks</h1><p>${filler}</p>` +
            `<p>The sundial in the <em>cloister</em> shows solar time.</p></article></body>`,
        ],
        'clocks.html',
      ),
    question: 'sundial cloister shows solar time',
    sentence: /The sundial in the [*_]cloister[*_] shows solar time/,
    type: 'text/html',
  },
  csv: {
    file: () => new File(['city,landmark\nPorto,granite bell tower\nGhent,wool exchange\n'], 'cities.csv'),
    question: 'granite bell tower Porto',
    sentence: /Porto.*granite bell tower/s,
    type: 'text/csv',
  },
  json: {
    file: () => new File([JSON.stringify({ recipe: { name: 'saffron risotto', broth: 'chicken stock' } })], 'r.json'),
    question: 'saffron risotto broth chicken stock',
    sentence: /saffron risotto/,
    type: 'application/json',
  },
  pdf: {
    file: () =>
      new File(
        [
          pdf([
            [{ text: 'First page of the survey about weather.' }],
            [{ text: 'The glacier retreated forty metres in one summer.' }],
          ]),
        ],
        'survey.pdf',
      ),
    question: 'glacier retreated forty metres',
    sentence: /The glacier retreated forty metres in one summer/,
    type: 'application/pdf',
  },
  doc: {
    file: () => new File([new Uint8Array(docFile([{ text: 'A lockkeeper opens the sluice.' }]))], 'canal.doc'),
    question: 'lockkeeper opens the sluice',
    sentence: /A lockkeeper opens the sluice/,
    type: 'application/msword',
  },
  docx: {
    file: () =>
      new File(
        [docx(docxParagraph('Minutes', 'Heading1') + docxParagraph('The committee approved the windmill budget.'))],
        'minutes.docx',
      ),
    question: 'committee approved windmill budget',
    sentence: /The committee approved the windmill budget/,
    type: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  },
};

test('a known sentence of every file type is found by every search type, and by the local embedder', async (t) => {
  for (const flow of [await startFlow(), await startFlow({ embedder: 'preferred' })]) {
    const entries = Object.values(documents).map(({ file }) => ['files', file()] as const);
    const uploaded = await flow.upload(...entries, ['content', 'A cormorant dries its wings on the pier.']);
    t.deepEqual(uploaded.errors, []);
    const ids = idsOf(uploaded);
    const expected = [
      ...Object.values(documents),
      { question: 'cormorant dries its wings', sentence: /A cormorant dries its wings/, type: 'text/plain' },
    ];
    for (const [place, { question, sentence, type }] of expected.entries()) {
      const content = await flow.content(ids[place] ?? '');
      t.like(content, { status: 'ready', sync_status: 'synced', type, status_message: null });
      for (const search_type of SEARCH_TYPES) {
        const [best] = await flow.search(question, { search_type });
        t.is(best?.content_id, ids[place], `${content.name} by ${search_type}`);
        t.regex(best?.content ?? '', sentence);
        t.is(best?.source, content.name);
      }
    }
  }
});

test('a text is downloaded from its URL, with the name and type from the server, and found', async (t) => {
  const page =
    '<!doctype html><title>Moths</title><article><h1>Moths</h1><p>Hawk moths hover over jasmine.</p></article>';
  const origin = await serve(t, { '/moths?token=secret': { type: 'text/html', body: page } });
  const flow = await startFlow();
  const [id] = idsOf(
    await flow.upload(['urls', `${origin}/moths?token=secret`], ['content_type', 'url'], ['metadata', '{"lang":"en"}']),
  );
  const content = await flow.content(id);
  t.like(content, { status: 'ready', type: 'text/html', size: page.length, metadata: { lang: 'en' } });
  t.false(content.name.includes('secret'));
  for (const search_type of SEARCH_TYPES) {
    const [best] = await flow.search('hawk moths hover over jasmine', { search_type, filters: { lang: 'en' } });
    t.is(best?.content_id, id);
  }
});

test('a URL that cannot be downloaded fails with a reason, and the others are ingested', async (t) => {
  const origin = await serve(t, {
    '/good': { type: 'text/plain', body: 'Lichen grows on north walls.' },
    '/empty': { type: 'text/plain', body: '' },
    '/film': { type: 'video/mp4', body: Buffer.from('00000018667479706d703432000000006d70343269736f6d', 'hex') },
  });
  const flow = await startFlow();
  const refused = origin.replace(DOWNLOAD_ADDRESS, '127.0.0.1');
  const urls = [`${origin}/good`, `${origin}/empty`, `${origin}/film`, `${origin}/absent`, `${refused}/good`];
  const { upload_id, uploads } = await flow.upload(['urls', JSON.stringify(urls)]);
  const progress = await flow.progress(upload_id);
  t.like(progress, { status: 'completed_with_errors', progress: { by_status: { ready: 1, failed: 4 } } });
  const messages = await Promise.all(
    uploads.map(async ({ content_id }) => (await flow.content(content_id)).status_message),
  );
  t.is(messages[0], null);
  for (const [place, words] of [/empty/, /an MP4 video, which no reader reads/, /404/, /loopback/].entries())
    t.regex(messages[place + 1] ?? '', words);
});

test('chunks store their position in the text, and their vectors have unit length', async (t) => {
  const flow = await startFlow();
  const text = Array.from({ length: 60 }, (_, index) => `Entry ${index} — naïve 日本 😀 words about wool.`).join(
    '\n\n',
  );
  const [id] = idsOf(await flow.upload(['file', new File([text], 'diary.txt')]));
  const chunks = await flow.chunks(id);
  t.true(chunks.length > 1);
  for (const { content, meta_data, embedding } of chunks) {
    t.is(text.slice(meta_data.start, meta_data.end), content);
    t.is(embedding?.length, 1024);
    t.true(Math.abs(Math.hypot(...(embedding ?? [])) - 1) < 1e-3);
  }
  const covered = new Set(chunks.flatMap(({ content }) => [...content.matchAll(/Entry (\d+) /g)].map(([, n]) => n)));
  t.is(covered.size, 60, 'nothing is lost between chunks');
});

test('the type of a file is detected from its bytes, not from its name, and shown in file_data', async (t) => {
  const flow = await startFlow();
  const page = '<!doctype html><title>x</title><p>Wombats dig at night.</p>';
  const origin = await serve(t, { '/report.pdf': { type: 'application/pdf', body: page } });
  const uploaded = await flow.upload(
    ['files', new File([pdf([[{ text: 'Quokkas smile.' }]])], 'lies.txt')],
    ['files', new File([docx(docxParagraph('Numbats eat termites.'))], 'lies.pdf')],
    ['files', new File(['honest'], 'honest.txt')],
    ['urls', `${origin}/report.pdf`],
  );
  const [lies, liesToo, honest, downloaded] = await Promise.all(idsOf(uploaded).map((id) => flow.content(id)));
  const docxType = documents['docx']?.type;
  t.like(lies, { status: 'ready', type: 'application/pdf' });
  t.like(lies?.file_data, {
    original_name: 'lies.txt',
    named_type: 'text/plain',
    detected_type: 'application/pdf',
    type_note: 'The name says plain text; the content is a PDF document and is read as that.',
    page_count: 1,
  });
  t.like(liesToo, {
    status: 'ready',
    type: docxType,
    file_data: { named_type: 'application/pdf', detected_type: docxType },
  });
  t.like(downloaded, {
    status: 'ready',
    type: 'text/html',
    file_data: { named_type: 'application/pdf', detected_type: 'text/html' },
  });
  t.is(honest?.file_data['type_note'], undefined);
  t.is((await flow.search('wombats dig at night'))[0]?.content_id, downloaded?.id);
});

test('a reader whose server is not configured rejects every item at upload with a remedy', async (t) => {
  const flow = await startFlow();
  const form = formFor(flow.collectionId, [
    ['files', new File(['text'], 'a.txt')],
    ['urls', 'https://example.org/a'],
    ['reader', 'unstructured_hi_res'],
  ]);
  const refused = await flow.api.post('/upload', UploadResponse, { body: form, status: 400 });
  t.like(refused, { total_uploads: 2, successful_uploads: 0, failed_uploads: 2 });
  for (const { code, message } of refused.errors) {
    t.is(code, 'reader_unavailable');
    t.regex(message, /LOCI_UNSTRUCTURED_URL/);
  }
});

test('documents with a password and old binary documents are rejected at upload with a remedy', async (t) => {
  const flow = await startFlow();
  const files: readonly (readonly [name: string, bytes: Buffer, code: ErrorCode, message: RegExp])[] = [
    // The directory lies beyond the first bytes, so the beginning of the file does not show its type.
    ['old.bin', compoundFile(['Pictures', 'Contents'], 126), 'unsupported_type', /Save it as \.docx, \.xlsx or \.pptx/],
    ['locked.docx', compoundFile(['EncryptionInfo', 'EncryptedPackage']), 'encrypted', /remove the password/],
  ];
  const form = formFor(flow.collectionId, [
    ['content', 'A text beside them.'],
    ...files.map(([name, bytes]) => ['files', new File([new Uint8Array(bytes)], name)] as const),
  ]);
  const { uploads, errors } = await flow.api.post('/upload', UploadResponse, { body: form, status: 202 });
  t.is(uploads.length, 1);
  const told = new Map(errors.map((error) => [error.name, error]));
  for (const [name, , code, message] of files) {
    t.is(told.get(name)?.code, code, name);
    t.regex(told.get(name)?.message ?? '', message);
  }
});

type Served = { type: string; body: string | Buffer };

/** Starts a web server at the address that the stack may download from, and returns its origin. */
async function serve(t: ExecutionContext, pages: Readonly<Record<string, Served>>): Promise<string> {
  const server = createServer((request, response) => {
    const page = pages[request.url ?? ''];
    if (!page) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': page.type }).end(page.body);
  });
  await new Promise<void>((resolve) => server.listen(0, DOWNLOAD_ADDRESS, resolve));
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  return `http://${DOWNLOAD_ADDRESS}:${port}`;
}
