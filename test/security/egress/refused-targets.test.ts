import type { ServerResponse } from 'node:http';
import test from 'ava';
import { createEgress } from '#security/egress/egress.ts';
import { egressToTraps, failsWith, readAll } from '#test/support/servers/trap-egress.ts';
import { TRAP_CERTIFICATE, startTrapServer } from '#test/support/servers/trap-server.ts';

test('refuses schemes other than http and https, and URLs with credentials', async (t) => {
  const urls = [
    'file:///etc/passwd',
    'ftp://example.com/x',
    'data:text/plain,x',
    'gopher://127.0.0.1/',
    'javascript:alert(1)',
  ];
  for (const url of urls) t.regex(await failsWith(t, 'download_refused', readAll(url)), /only http and https/, url);
  const message = await failsWith(t, 'download_refused', readAll('http://user:hunter2@example.com/x?token=hunter2'));
  t.regex(message, /user name or password/);
  t.false(message.includes('hunter2'));
  for (const url of [
    '',
    'example.com/x',
    '//example.com/x',
    'http://',
    'http://[::1',
    'http://a b/',
    'http://1.2.3.4.5/',
  ]) {
    t.regex(await failsWith(t, 'download_refused', readAll(url)), /not a complete URL/, url);
  }
});

test('refuses internal addresses in every notation, before connecting', async (t) => {
  const inner = await startTrapServer(t, {}, { address: '127.0.0.2' });
  const hosts = [
    '127.0.0.2',
    '127.2',
    '2130706434',
    '0x7f000002',
    '0x7f.0.0.2',
    '0177.0.0.2',
    '127.0.0.2.',
    '１２７.0.0.2',
    '127。0。0。2',

    '[::ffff:127.0.0.2]',
    '[::ffff:7f00:2]',
    '[::127.0.0.2]',
    '[64:ff9b::7f00:2]',
    '[2002:7f00:2::]',
    '[::1]',
    '[::]',
    '0',
    '169.254.169.254',
    '[fd00:ec2::254]',
    '[fe80::1]',
    '10.0.0.1',
    '192.168.0.1',
    '100.64.0.1',
    '224.0.0.1',
  ];
  for (const host of hosts) {
    const message = await failsWith(t, 'download_refused', readAll(`http://${host}:${inner.port}/`));
    t.regex(message, /its host resolves to .*LOCI_EGRESS_ALLOW/, host);
  }
  t.is(inner.connections(), 0);
});

test('refuses a name that resolves to an internal address, also when only one of its addresses is internal', async (t) => {
  const inner = await startTrapServer(t, {}, { address: '127.0.0.2' });
  for (const addresses of [
    ['127.0.0.2'],
    ['127.0.0.1', '127.0.0.2'],
    ['127.0.0.1', '::1'],
    ['127.0.0.1', 'fd00::1'],
    ['junk'],
  ]) {
    const egress = egressToTraps({ resolve: async () => addresses });
    const message = await failsWith(t, 'download_refused', readAll(`http://inner.example:${inner.port}/`, {}, egress));
    t.false(
      addresses.some((address) => message.includes(address)),
      'what inner names resolve to is not told',
    );
  }
  t.is(inner.connections(), 0);
});

test('resolves a name once, so that a second, internal answer is never used', async (t) => {
  const server = await startTrapServer(t, {
    '/': (response) => response.end('outer'),
    '/back': (response) => response.writeHead(302, { Location: '/' }).end(),
  });
  const answers = [['127.0.0.1'], ['127.0.0.2']];
  let asked = 0;
  const resolve = async () => answers[asked++] ?? ['127.0.0.2'];
  t.is((await readAll(`http://rebind.example:${server.port}/`, {}, egressToTraps({ resolve }))).toString(), 'outer');
  t.is(asked, 1);

  asked = 0;
  const message = await failsWith(
    t,
    'download_refused',
    readAll(`http://rebind.example:${server.port}/back`, {}, egressToTraps({ resolve })),
  );
  t.regex(message, /rebind\.example/);
  t.is(asked, 2);
});

test('refuses a redirect to an internal address, another scheme or a URL with credentials', async (t) => {
  const inner = await startTrapServer(t, {}, { address: '127.0.0.2' });
  const locations = {
    '/loopback': `http://127.0.0.2:${inner.port}/?token=hunter2`,
    '/decimal': `http://2130706434:${inner.port}/`,
    '/metadata': 'http://169.254.169.254/latest/meta-data/',
    '/scheme-relative': `//127.0.0.2:${inner.port}/`,
    '/file': 'file:///etc/passwd',
    '/credentials': 'http://user:hunter2@127.0.0.1/',
  };
  const traps = Object.entries(locations).map(([path, Location]) => [
    path,
    (response: ServerResponse) => response.writeHead(302, { Location }).end(),
  ]);
  const server = await startTrapServer(t, Object.fromEntries(traps));
  for (const path of Object.keys(locations)) {
    const message = await failsWith(t, 'download_refused', readAll(server.origin + path));
    t.false(message.includes('hunter2'), message);
  }
  t.is(server.requests.length, Object.keys(locations).length);
  t.is(inner.connections(), 0);
});

test('refuses a redirect from https to http, and one that sends a body to another origin', async (t) => {
  const plain = await startTrapServer(t, {});
  const secure = await startTrapServer(
    t,
    {
      '/down': (response) => response.writeHead(302, { Location: `http://trap.test:${plain.port}/` }).end(),
      '/other': (response) => response.writeHead(307, { Location: `https://other.test:${secure.port}/` }).end(),
    },
    { tls: true },
  );
  const egress = egressToTraps({ certificateAuthority: TRAP_CERTIFICATE });
  const origin = `https://trap.test:${secure.port}`;
  t.regex(
    await failsWith(t, 'download_refused', readAll(`${origin}/down`, {}, egress)),
    /from https to unprotected http/,
  );
  const post = { method: 'POST', body: 'client_secret=x' } as const;
  t.regex(await failsWith(t, 'download_refused', readAll(`${origin}/other`, post, egress)), /to another host/);
  t.is(plain.connections(), 0);
  t.is(secure.requests.length, 2);
});

test('ends a redirect loop at the limit', async (t) => {
  const server = await startTrapServer(t, {
    '/loop': (response) => response.writeHead(301, { Location: '/loop' }).end(),
  });
  t.regex(await failsWith(t, 'download_rejected', readAll(`${server.origin}/loop`)), /redirects more than 5 times/);
  t.is(server.requests.length, 6);
  await server.allClosed();
});

test('rejects a name that does not exist, and reports a failed resolution as temporary', async (t) => {
  const failing = (code: string) =>
    egressToTraps({ resolve: () => Promise.reject(Object.assign(new Error(code), { code })) });
  t.regex(
    await failsWith(t, 'download_rejected', readAll('http://nowhere.example/', {}, failing('ENOTFOUND'))),
    /no host nowhere/,
  );
  await failsWith(
    t,
    'download_rejected',
    readAll('http://nowhere.example/', {}, egressToTraps({ resolve: async () => [] })),
  );
  t.regex(
    await failsWith(t, 'download_failed', readAll('http://a.example/', {}, failing('EAI_AGAIN'))),
    /at the moment/,
  );
});

test("refuses the machine's own host name", async (t) => {
  const egress = createEgress({ allow: [] });
  await failsWith(t, 'download_refused', readAll('http://localhost/', {}, egress));
});
