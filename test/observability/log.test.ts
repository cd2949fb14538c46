import test from 'ava';
import { AppError } from '#domain/app-error.ts';
import { createLog, createSilentLog, type LogLevel } from '#observability/log.ts';
import type { LogFields } from '#observability/log-fields.ts';
import { generateApiKey } from '#security/api-key.ts';
import { Secret } from '#security/secret.ts';

function record(level: LogLevel = 'info') {
  const texts: string[] = [];
  const log = createLog({ level, service: 'test', destination: { write: (text) => void texts.push(text) } });
  return {
    log,
    texts,
    lines: () => texts.map((text): Record<string, unknown> => JSON.parse(text)),
  };
}

/** Fields that bypass the type, as careless code might pass them. */
const untyped = (fields: object): LogFields => fields;

test('writes one JSON object per line with time, level, service, message and fields', (t) => {
  const { log, texts, lines } = record();
  log.info({ workspace_id: 'w1', count: 3 }, 'chunks written');
  const [line] = lines();
  t.is(texts[0]?.split('\n').length, 2);
  t.regex(String(line?.['time']), /^\d{4}-\d\d-\d\dT.*Z$/);
  t.like(line, { level: 'info', service: 'test', message: 'chunks written', workspace_id: 'w1', count: 3 });
});

test('adds the fields of a child log, and of its own children, to every line', (t) => {
  const { log, lines } = record();
  log.child({ request_id: 'r1' }).child({ workspace_id: 'w1' }).warn('slow');
  t.like(lines()[0], { level: 'warn', request_id: 'r1', workspace_id: 'w1', message: 'slow' });
});

test('drops unlisted fields in lines and in child logs, however they are passed', (t) => {
  const { log, texts } = record();
  const careless = {
    password: 'hunter2',
    Authorization: 'hunter2',
    headers: { 'x-api-key': 'hunter2' },
    body: ['hunter2'],
    workspace_id: { nested: 'hunter2' },
    count: 1,
  };
  log.info(untyped(careless), 'x');
  log.child(untyped(careless)).info('x');
  t.is(texts.length, 2);
  for (const text of texts) {
    t.false(text.includes('hunter2'));
    t.true(text.includes('"count":1'));
  }
});

test('removes secrets from messages, fields, errors and stacks', (t) => {
  const { log, texts } = record();
  const { id, secret } = generateApiKey();
  const leaks = [
    secret,
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    'Bearer abcdef0123456789',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl',
    'postgres://loci:hunter2@db:5432/loci',
    'https://bucket.example/file.pdf?X-Amz-Signature=hunter2',
  ];
  for (const leak of leaks) {
    log.error({ error: new Error(`failed with ${leak}`), source: leak }, `because of ${leak}`);
  }
  const printed = texts.join('');
  for (const part of [secret.slice(18), 'MfKQ9r8G', 'abcdef0123', 'c2lnbmF0dXJl', 'hunter2'])
    t.false(printed.includes(part), part);
  t.true(printed.includes(`loci_${id}_[sealed]`));
  t.true(printed.includes('postgres://db:5432/loci'));
  t.true(printed.includes('https://bucket.example/file.pdf'));
});

test('shows name, code, message and stack of an error; only names and codes of its causes', (t) => {
  const { log, lines, texts } = record();
  const driver = Object.assign(new Error('insert into "credentials" values (\'hunter2\')'), {
    code: '23505',
    detail: 'Key (token)=(hunter2)',
  });
  const error = new AppError('conflict', 'The name is taken.', { cause: new TypeError('hunter2', { cause: driver }) });
  log.error({ error: Object.assign(error, { config: { token: 'hunter2' } }) }, 'request failed');
  t.like(lines()[0]?.['error'], {
    name: 'AppError',
    code: 'conflict',
    message: 'The name is taken.',
    causes: ['TypeError', 'Error 23505'],
  });
  t.true(texts[0]?.includes('log.test.ts'));
  t.false(texts[0]?.includes('hunter2'));
});

test('ends circular causes', (t) => {
  const { log, lines } = record();
  const error = new Error('round');
  error.cause = error;
  log.error({ error }, 'x');
  t.like(lines()[0]?.['error'], { causes: Array.from({ length: 5 }, () => 'Error') });
});

test('does not print the value of a thrown non-error, nor a Secret', (t) => {
  const { log, texts } = record();
  log.error({ error: 'hunter2' }, 'x');
  log.error({ error: { token: 'hunter2' } }, 'x');
  log.error(untyped({ source: new Secret('hunter2') }), `with ${String(new Secret('hunter2'))}`);
  t.is(texts.length, 3);
  t.false(texts.join('').includes('hunter2'));
  t.true(texts[2]?.includes('with [sealed]'));
});

test('does not print lines below the level, and nothing from the silent log', (t) => {
  const { log, texts } = record('warn');
  log.info('no');
  log.warn('yes');
  t.is(texts.length, 1);
  t.notThrows(() => createSilentLog().child({ count: 1 }).fatal({ count: 1 }, 'no'));
  t.is(createSilentLog().level, 'silent');
});

test('truncates a very long message', (t) => {
  const { log, texts } = record();
  log.info('x'.repeat(100_000));
  t.true((texts[0]?.length ?? 0) < 5_000);
});
