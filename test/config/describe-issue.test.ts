import test from 'ava';
import { ConfigError } from '#config/config-error.ts';
import { readConfig } from '#config/index.ts';

const REQUIRED = {
  LOCI_DATABASE_URL: 'postgres://u:p@localhost/loci',
  LOCI_SECRET_KEYS: `1:${'A'.repeat(43)}=`,
  LOCI_API_KEY_PEPPER: 'p'.repeat(32),
};

test('a missing or unusable setting is reported in words that say what to write', (t) => {
  const problemsOf = (environment: NodeJS.ProcessEnv) =>
    t.throws(() => readConfig(environment), { instanceOf: ConfigError }).problems;
  t.deepEqual(problemsOf({}), [
    'LOCI_DATABASE_URL is required: postgres://user:password@host:port/database',
    'LOCI_SECRET_KEYS is required: <version>:<base64 of 32 bytes>, comma-separated; the first encrypts, all decrypt',
    'LOCI_API_KEY_PEPPER is required: at least 32 characters that are not in the database',
  ]);
  const expected = {
    LOCI_PORT: ['70000', 'LOCI_PORT: must be at most 65535'],
    LOCI_DATABASE_POOL: ['0', 'LOCI_DATABASE_POOL: must be more than 0'],
    LOCI_READER_PROCESSES: ['1.5', 'LOCI_READER_PROCESSES: must be a whole number'],
    LOCI_EMBEDDER: ['other', 'LOCI_EMBEDDER: must be one of local, openai, lexical'],
    LOCI_EMBEDDERS: ['[]', 'LOCI_EMBEDDERS: must be a JSON object of embedders by name'],
    LOCI_API_KEY_PEPPER: ['short', 'LOCI_API_KEY_PEPPER is too short: it needs at least 32 characters'],
    LOCI_DATABASE_URL: [
      'localhost',
      'LOCI_DATABASE_URL: must have the form postgres://user:password@host:port/database',
    ],
    LOCI_SECRET_KEYS: ['1:x', 'LOCI_SECRET_KEYS: entry 1 must have the form <version>:<base64 of 32 bytes>'],
    LOCI_EGRESS_ALLOW: [
      '10.0.0.0/8,10.0.0.0/99',
      "LOCI_EGRESS_ALLOW: '10.0.0.0/99' needs a prefix length from 0 to 32 after the slash",
    ],
  };
  for (const [name, [value, problem]] of Object.entries(expected))
    t.deepEqual(problemsOf({ ...REQUIRED, [name]: value }), [problem]);
});
