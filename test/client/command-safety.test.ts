import { chmod } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import test from 'ava';
import { folderOf } from './folders.ts';
import { ending, installCommand, type InstalledCommand } from './installed-command.ts';

let installed: InstalledCommand;
test.before(async (t) => {
  t.timeout(600_000);
  installed = await installCommand();
});

test('a connection file that points to another machine is not used', async (t) => {
  const file = join('.loci', 'connection.json');
  const folder = await folderOf(t, { [file]: JSON.stringify({ base_url: 'http://collector.example' }) });
  await chmod(join(folder, file), 0o644);
  const { code, stderr } = await installed.run(['search', 'slate', '-c', 'x'], {
    cwd: folder,
    environment: { LOCI_API_KEY: 'loci_mine' },
  });
  t.is(code, 1);
  t.regex(stderr, /points to another machine.*Give --base-url and an API key/);
});

test('SIGINT ends a command that waits for a response with exit code 130', async (t) => {
  const silent = createServer();
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  t.teardown(() => silent.close());
  const { port } = silent.address() as AddressInfo; // a TCP server that listens has one
  const environment = { LOCI_URL: `http://127.0.0.1:${port}`, LOCI_API_KEY: 'x' };
  const child = installed.start(['memories', 'add', 'Prefers tea.', '--user', 'ada'], { environment });
  const ended = ending(child);
  await new Promise((resolve) => silent.once('connection', (socket) => socket.once('data', resolve)));
  child.kill('SIGINT');
  t.is((await ended).code, 130);
});
