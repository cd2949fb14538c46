import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { openOwnApi } from '#test/support/harness/own-api.ts';

const HTML = { headers: { Accept: 'text/html' }, redirect: 'manual' } as const;
/** No process can have this id. */
const NO_PID = 2 ** 31 - 1;

test('until there is a console, /console says whether it is being built and what to do, and / shows the API', async (t) => {
  const { baseUrl, folder } = await apiWithConsole(t);
  const opened = async () => {
    const response = await fetch(`${baseUrl}/console/collections`, HTML);
    return { status: response.status, retryAfter: response.headers.get('Retry-After'), text: await response.text() };
  };
  t.like(await opened(), { status: 404, retryAfter: null });
  t.regex((await opened()).text, /npm run console/);
  const say = async (state: object) => writeFile(join(folder, '.build-state.json'), JSON.stringify(state));
  await say({ status: 'building', pid: process.pid });
  t.like(await opened(), { status: 503, retryAfter: '3' });
  t.regex((await opened()).text, /is being built[\s\S]*reloads itself/);
  await say({ status: 'building', pid: NO_PID });
  t.regex((await opened()).text, /could not be built[\s\S]*stopped before/);
  await say({ status: 'failed', message: 'no <space> left' });
  t.regex((await opened()).text, /could not be built[\s\S]*npm run console[\s\S]*no &lt;space&gt; left/);
  t.is((await fetch(`${baseUrl}/`, HTML)).status, 200);
});

test('a built console is served with a policy that permits this origin only, and compressed as it was built', async (t) => {
  const { baseUrl, folder } = await apiWithConsole(t);
  await build(folder);
  const get = async (path: string, init: RequestInit = HTML) => fetch(baseUrl + path, init);
  t.is((await get('/')).headers.get('Location'), '/console/');
  t.is((await get('/', { headers: { Accept: 'application/json' } })).status, 404);
  t.is((await get('/console')).headers.get('Location'), '/console/');
  const [page, again] = [await get('/console/any/deep/path?x=1'), await get('/console/')];
  const policy = page.headers.get('Content-Security-Policy') ?? '';
  const nonce = /'nonce-([\w-]{22})'/.exec(policy)?.[1];
  t.is(await page.text(), `<meta nonce="${nonce}">`);
  t.not(again.headers.get('Content-Security-Policy'), policy);
  t.notRegex(policy, /unsafe|\*|https?:/);
  t.is(page.headers.get('Cache-Control'), 'no-store');
  t.is(page.headers.get('Cross-Origin-Opener-Policy'), 'same-origin');
  const asset = await get('/console/assets/a-1.js', { headers: { 'Accept-Encoding': 'gzip;q=0.5, br' } });
  t.is(asset.headers.get('Content-Type'), 'text/javascript; charset=utf-8');
  t.is(asset.headers.get('Content-Encoding'), 'br');
  t.regex(asset.headers.get('Cache-Control') ?? '', /immutable/);
  t.is(await (await get('/console/assets/a-1.js', { headers: { 'Accept-Encoding': 'identity' } })).text(), 'plain');
  for (const path of ['/console/assets/b-2.js', '/console/assets/..%2f..%2findex.html'])
    t.is((await get(path)).status, 404, path);
  t.is((await get('/console/', { method: 'POST' })).status, 405);
});

async function apiWithConsole(t: ExecutionContext): Promise<{ baseUrl: string; folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'loci-console-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const { baseUrl } = await openOwnApi(t, { consoleFolder: folder });
  return { baseUrl, folder };
}

async function build(folder: string): Promise<void> {
  const assets = join(folder, 'dist', 'assets');
  await mkdir(assets, { recursive: true });
  await writeFile(join(assets, 'a-1.js'), 'plain');
  // Brotli of nothing.
  await writeFile(join(assets, 'a-1.js.br'), Buffer.from([0x3b]));
  await writeFile(join(folder, 'dist', 'index.html'), '<meta nonce="LOCI_NONCE">');
}
