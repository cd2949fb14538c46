import test from 'ava';
import { requireValidSettings } from '#stack/require-valid-settings.ts';

test('npm start needs no settings, and reports those that are invalid before anything starts', (t) => {
  t.notThrows(() => requireValidSettings({}));
  t.throws(() => requireValidSettings({ LOCI_PORT: '70000' }), { message: /LOCI_PORT/ });
  t.throws(() => requireValidSettings({ LOCI_DATABASE_URL: 'localhost' }), { message: /LOCI_DATABASE_URL/ });
});
