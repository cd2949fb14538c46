import test from 'ava';
import * as fc from 'fast-check';
import { generateApiKey, hashApiKey, parseApiKey, verifyApiKey } from '#security/api-key.ts';

const pepper = 'a pepper of more than thirty-two characters';

test('generates keys of the documented form, whose id can be parsed', (t) => {
  const { id, secret } = generateApiKey();
  t.regex(secret, /^loci_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/);
  t.deepEqual(parseApiKey(secret), { id });
  t.not(generateApiKey().secret, secret);
});

test('uses every character of the alphabet about equally', (t) => {
  const counts = new Map<string, number>();
  const keys = 1_000;
  for (let made = 0; made < keys; made += 1) {
    for (const character of generateApiKey().secret.slice(18, 18 + 43))
      counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  const expected = (keys * 43) / 62;
  t.is(counts.size, 62);
  // Seven standard deviations: a false alarm is practically impossible.
  for (const [character, count] of counts) t.true(Math.abs(count - expected) < 7 * Math.sqrt(expected), character);
});

test('does not parse a key with a changed, missing or additional character', (t) => {
  const { secret } = generateApiKey();
  fc.assert(
    fc.property(
      fc.nat(secret.length - 1),
      fc.constantFrom('0', 'A', 'z', '_', '-', ' ', 'é'),
      (position, character) => {
        const changed = secret.slice(0, position) + character + secret.slice(position + 1);
        t.is(parseApiKey(changed) === null, changed !== secret);
      },
    ),
  );
  for (let length = 0; length < secret.length; length += 1) t.is(parseApiKey(secret.slice(0, length)), null);
  for (const text of [`${secret}0`, ` ${secret}`, `${secret}\n`, secret.toUpperCase(), 'eyJhbGciOi.J9.x']) {
    t.is(parseApiKey(text), null);
  }
});

test('verifies only the key that was hashed, and only with the same pepper', (t) => {
  const { secret } = generateApiKey();
  const hash = hashApiKey(secret, pepper);
  t.regex(hash, /^[0-9a-f]{64}$/);
  t.true(verifyApiKey(secret, { hash, pepper }));
  t.false(verifyApiKey(generateApiKey().secret, { hash, pepper }));
  t.false(verifyApiKey(secret, { hash, pepper: `${pepper}!` }));
  t.false(verifyApiKey(secret, { hash: '', pepper }));
  t.false(verifyApiKey(hash, { hash, pepper }));
});
