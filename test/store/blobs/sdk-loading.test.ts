import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import test from 'ava';
import { PROJECT_DIR } from '#stack/loci-services.ts';

const run = promisify(execFile);

/** Opens a store in a process of its own, and tells how many files of the AWS SDK that process has loaded. */
async function filesOfSdk(settings: Record<string, string>): Promise<number> {
  const script = `
    import { createRequire } from 'node:module';
    import { readConfig } from '#config/index.ts';
    import { openBlobStore } from '#services/open-blob-store.ts';
    await openBlobStore(readConfig(process.env));
    console.log(Object.keys(createRequire(import.meta.url).cache).filter((path) => path.includes('@aws-sdk')).length);`;
  const required = {
    LOCI_DATABASE_URL: 'postgres://u:p@localhost/loci',
    LOCI_SECRET_KEYS: `1:${'A'.repeat(43)}=`,
    LOCI_API_KEY_PEPPER: 'p'.repeat(32),
  };
  const env = { PATH: process.env['PATH'], ...required, ...settings };
  const { stdout } = await run(process.execPath, ['--input-type=module-typescript', '--eval', script], {
    cwd: PROJECT_DIR,
    env,
  });
  return Number(stdout);
}

test('the AWS SDK is loaded only where a bucket is configured', async (t) => {
  t.is(await filesOfSdk({}), 0);
  t.true((await filesOfSdk({ LOCI_BLOB_STORE: 's3', LOCI_S3_BUCKET: 'x', LOCI_S3_REGION: 'eu-central-1' })) > 0);
});
