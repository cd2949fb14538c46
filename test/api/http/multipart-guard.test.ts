import { EventEmitter, once } from 'node:events';
import test from 'ava';
import { MultipartParser } from 'formidable';
import { guardMultipart } from '#api/http/multipart/multipart-guard.ts';

function guardedParser(): InstanceType<typeof MultipartParser> {
  const parser = new MultipartParser();
  parser.initWithBoundary('b');
  const form = Object.assign(new EventEmitter(), { _parser: parser });
  const guard = guardMultipart(1e9, () => new Error('too large'));
  Reflect.apply(guard.plugin, null, [form, {}]);
  return parser;
}

/** The data that the parser emits for a form with one part of these bytes, which arrives in packets. */
async function tokensOf(content: Buffer): Promise<{ tokens: number; data: Buffer }> {
  const parser = guardedParser();
  const data: Buffer[] = [];
  let tokens = 0;
  parser.on('data', (token: { name: string; buffer?: Buffer; start?: number; end?: number }) => {
    if (token.name !== 'partData') return;
    tokens += 1;
    data.push(Buffer.from(token.buffer?.subarray(token.start, token.end) ?? ''));
  });
  const ended = new Promise((resolve) => parser.once('end', resolve));
  const head = Buffer.from('--b\r\nContent-Disposition: form-data; name="x"\r\n\r\n');
  const whole = Buffer.concat([head, content, Buffer.from('\r\n--b--\r\n')]);
  for (let at = 0; at < whole.length; at += 65_536) parser.write(whole.subarray(at, at + 65_536));
  parser.end();
  await ended;
  return { tokens, data: Buffer.concat(data) };
}

test('bytes that resemble the start of a boundary arrive in few chunks, and in order', async (t) => {
  for (const filler of ['\r', '\r\n-x', '\r\n--a', `${'x'.repeat(1500)}\r\n`]) {
    const content = Buffer.from(filler.repeat(Math.floor(500_000 / filler.length)));
    const { tokens, data } = await tokensOf(content);
    t.deepEqual(data, content);
    // Chunks of one kilobyte and more are passed on unchanged, and smaller ones between them are joined.
    t.true(tokens < 1_000, `${tokens} pieces`);
  }
});

test('other work goes on between the small parts of one packet', async (t) => {
  const parser = guardedParser();
  const part = '--b\r\nContent-Disposition: form-data; name="x"\r\n\r\na text\r\n';
  let parts = 0;
  parser.on('data', ({ name }: { name: string }) => {
    if (name !== 'partEnd') return;
    parts += 1;
    // What a part costs: its stream, its hash, its type.
    for (const sinceMs = performance.now(); performance.now() - sinceMs < 1;);
  });
  let turns = 0;
  const otherWork = setInterval(() => (turns += 1), 0);
  parser.end(`${part.repeat(900)}--b--\r\n`);
  await once(parser, 'end');
  clearInterval(otherWork);
  t.is(parts, 900);
  t.true(turns > 3, `${turns} turns of other work`);
});
