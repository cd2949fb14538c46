import { inspect } from 'node:util';
import test from 'ava';
import * as fc from 'fast-check';
import { AppError } from '#domain/app-error.ts';
import { createKeyRing } from '#security/key-ring.ts';
import { Secret } from '#security/secret.ts';

const keyText = (fill: number) => Buffer.alloc(32, fill).toString('base64');
const context = { workspaceId: '0198c7f0-0000-7000-8000-000000000001', row: 'credentials/1/tokens' };

test('opens any bytes with the context they were sealed for', (t) => {
  const ring = createKeyRing(`1:${keyText(1)}`);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.string(), fc.string(), (bytes, workspaceId, row) => {
      const sealed = ring.seal(bytes, { workspaceId, row });
      t.deepEqual(ring.open(sealed, { workspaceId, row }).revealBytes(), bytes);
    }),
  );
});

test('opens text as text, and seals the same text differently each time', (t) => {
  const ring = createKeyRing(`1:${keyText(1)}`);
  const sealed = ring.seal('wörd', context);
  t.is(ring.open(sealed, context).reveal(), 'wörd');
  t.not(sealed, ring.seal('wörd', context));
  t.false(sealed.includes('wörd'));
});

test('does not open a value that was moved to another workspace or row', (t) => {
  const ring = createKeyRing(`1:${keyText(1)}`);
  const sealed = ring.seal('token', context);
  for (const other of [
    { ...context, row: 'credentials/2/tokens' },
    { ...context, workspaceId: '0198c7f0-0000-7000-8000-000000000002' },
    { workspaceId: `${context.workspaceId}","x`, row: 'x' },
  ]) {
    const error = t.throws(() => ring.open(sealed, other), { instanceOf: AppError });
    t.false(error.message.includes('token'));
  }
});

test('does not open a value with any single bit changed', (t) => {
  const ring = createKeyRing(`1:${keyText(1)}`);
  const body = Buffer.from(ring.seal('token', context).split('.')[2] ?? '', 'base64url');
  for (let bit = 0; bit < body.length * 8; bit += 1) {
    const altered = Buffer.from(body);
    altered[bit >> 3] = (altered[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    t.throws(() => ring.open(`sealed.1.${altered.toString('base64url')}`, context), { instanceOf: AppError });
  }
  t.throws(() => ring.open(`sealed.1.${body.subarray(0, 20).toString('base64url')}`, context), {
    message: /truncated/,
  });
  t.throws(() => ring.open('token', context), { message: /form of a sealed value/ });
});

test('seals with the first key, opens with the others, and names a missing one', (t) => {
  const old = createKeyRing(`1:${keyText(1)}`);
  const rotated = createKeyRing(`2:${keyText(2)}, 1:${keyText(1)}`);
  const sealedOld = old.seal('token', context);
  const sealedNew = rotated.seal('token', context);
  t.is(rotated.open(sealedOld, context).reveal(), 'token');
  t.true(sealedNew.startsWith('sealed.2.'));
  t.throws(() => old.open(sealedNew, context), { message: /key version 2, which is not configured/ });
});

test('a key that is added at the end opens what processes with the next ring seal, and seals nothing yet', (t) => {
  const prepared = createKeyRing(`1:${keyText(1)},2:${keyText(2)}`);
  const rotated = createKeyRing(`2:${keyText(2)},1:${keyText(1)}`);
  t.is(prepared.open(rotated.seal('token', context), context).reveal(), 'token');
  t.true(prepared.seal('token', context).startsWith('sealed.1.'));
});

test('does not open a value whose key version was replaced, even for the same key bytes', (t) => {
  const ring = createKeyRing(`2:${keyText(1)},1:${keyText(1)}`);
  t.throws(() => ring.open(ring.seal('token', context).replace('sealed.2.', 'sealed.1.'), context), {
    instanceOf: AppError,
  });
});

test('names the position of an invalid key without printing the key', (t) => {
  const bad = {
    '': /LOCI_SECRET_KEYS: entry 1 must have the form/,
    [keyText(1)]: /LOCI_SECRET_KEYS: entry 1 must have the form/,
    [`1:${Buffer.alloc(16, 7).toString('base64')}`]: /LOCI_SECRET_KEYS: entry 1 must have the form/,
    [`2:${keyText(2)},1:short`]: /LOCI_SECRET_KEYS: entry 2 must have the form/,
    [`2:${keyText(1)},1:${keyText(2)},2:${keyText(3)}`]: /entry 3: version 2 is given twice/,
  };
  for (const [spec, message] of Object.entries(bad)) {
    const error = t.throws(() => createKeyRing(spec), { instanceOf: AppError, message });
    t.false(error.message.includes(keyText(1)));
  }
});

test('prints a secret as [sealed] in every form', (t) => {
  const secret = new Secret('hunter2');
  const printed = [
    String(secret),
    [secret, secret].join(),
    JSON.stringify({ secret }),
    inspect(secret),
    inspect({ deep: { secret } }, { showHidden: true, depth: 9 }),
    JSON.stringify(Object.assign({}, secret)),
    Object.values(secret).join(''),
  ];
  for (const text of printed) t.false(text.includes('hunter2'), text);
  t.is(inspect(secret), '[sealed]');
  t.is(secret.reveal(), 'hunter2');
});
