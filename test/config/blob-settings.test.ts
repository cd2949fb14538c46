import { resolve } from 'node:path';
import test from 'ava';
import { ConfigError } from '#config/config-error.ts';
import { readConfig } from '#config/index.ts';

const REQUIRED = {
  LOCI_DATABASE_URL: 'postgres://u:p@localhost/loci',
  LOCI_SECRET_KEYS: `1:${'A'.repeat(43)}=`,
  LOCI_API_KEY_PEPPER: 'p'.repeat(32),
};
const problemsOf = (settings: Record<string, string>) => listProblems(() => readConfig({ ...REQUIRED, ...settings }));

function listProblems(read: () => unknown): readonly string[] {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

test('without settings, blobs are in a folder, and work is done below it', (t) => {
  const { blobs } = readConfig(REQUIRED);
  t.like(blobs, { store: 'folder', dir: resolve('.loci/blobs'), workDir: resolve('.loci/blobs/.work'), s3: null });
  const moved = readConfig({ ...REQUIRED, LOCI_BLOB_STORE: 's3', LOCI_S3_BUCKET: 'b', LOCI_WORK_DIR: '/scratch' });
  t.is(moved.blobs.workDir, '/scratch');
  t.like(moved.blobs.s3, { bucket: 'b', prefix: '', endpoint: null, credentials: null, presignedDownloads: false });
});

test('settings of the bucket that need one another are reported', (t) => {
  t.regex(problemsOf({ LOCI_BLOB_STORE: 's3' })[0] ?? '', /^LOCI_S3_BUCKET is required/);
  t.regex(problemsOf({ LOCI_S3_ACCESS_KEY_ID: 'x' })[0] ?? '', /go together/);
  t.regex(problemsOf({ LOCI_S3_KMS_KEY_ID: 'x' })[0] ?? '', /LOCI_S3_ENCRYPTION=aws:kms/);
  for (const prefix of ['/a', 'a/', 'a//b', '../a b']) t.is(problemsOf({ LOCI_S3_PREFIX: prefix }).length, 1, prefix);
  t.deepEqual(problemsOf({ LOCI_S3_PREFIX: 'loci/production', LOCI_S3_BUCKET: 'b' }), []);
});
