import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import test from 'ava';
import { readConfig } from '#config/index.ts';
import { PROJECT_DIR } from '#stack/loci-services.ts';

const REQUIRED = {
  LOCI_DATABASE_URL: 'postgres://u:p@localhost/loci',
  LOCI_SECRET_KEYS: `1:${'A'.repeat(43)}=`,
  LOCI_API_KEY_PEPPER: 'p'.repeat(32),
};

test('names variables that look like settings and are none, but not those that hold the key of an embedder', (t) => {
  const tei = { provider: 'openai', model: 'm', dimensions: 8, base_url: 'http://tei/v1', api_key_env: 'LOCI_TEI_KEY' };
  const { unknown } = readConfig({
    ...REQUIRED,
    LOCI_EMBEDDERS: JSON.stringify({ tei }),
    LOCI_TEI_KEY: 'k',
    LOCI_URL: 'http://127.0.0.1:8700',
    LOCI_MAX_FILE_BYTE: '1',
  });
  t.deepEqual(unknown, ['LOCI_MAX_FILE_BYTE']);
});

test('a process names them in the first line of its log', async (t) => {
  const program = `import { openLog } from '#services/open-log.ts';
    openLog({ logLevel: 'info', unknown: ['LOCI_DATABASE_POL', 'LOCI_MAX_FILE_BYTE'] }, 'api');`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: PROJECT_DIR,
  });
  t.like(JSON.parse(stdout), { level: 'warn', service: 'api', reason: 'LOCI_DATABASE_POL, LOCI_MAX_FILE_BYTE' });
});
