import test from 'ava';
import { ConfigError } from '#config/config-error.ts';
import { readTemporalSettings } from '#config/temporal-settings.ts';
import { makeCertificates } from '#test/support/fixtures/certificates.ts';
import { temporalConnection } from '#workers/temporal-connection.ts';

test('certificates and keys that cannot be used are reported before anything connects, with their settings', async (t) => {
  const [{ authority, client }, others] = await Promise.all([makeCertificates(), makeCertificates()]);
  const connect = (environment: NodeJS.ProcessEnv) => () => temporalConnection(readTemporalSettings(environment));
  const good = { LOCI_TEMPORAL_TLS_CA: authority, LOCI_TEMPORAL_TLS_CERT: client.certificate };
  t.notThrows(connect({ ...good, LOCI_TEMPORAL_TLS_KEY: client.key }));
  t.throws(connect({ ...good, LOCI_TEMPORAL_TLS_KEY: others.client.key }), {
    instanceOf: ConfigError,
    message: /LOCI_TEMPORAL_TLS_CERT and LOCI_TEMPORAL_TLS_KEY cannot be used together: .*mismatch/,
  });
  const damaged = authority.replace(/[A-Za-z0-9+/]{64}\n/, '');
  const cutOff = authority.slice(0, authority.indexOf('-----END'));
  t.notThrows(connect({ LOCI_TEMPORAL_TLS_CA: `Two authorities\n${authority}${others.authority}` }));
  for (const wrong of [damaged, cutOff, `${authority}${cutOff}`])
    t.throws(connect({ LOCI_TEMPORAL_TLS_CA: wrong }), {
      instanceOf: ConfigError,
      message: /LOCI_TEMPORAL_TLS_CA cannot be used: /,
    });
});
