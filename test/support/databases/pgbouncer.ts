import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { builtServer } from '#test/support/servers/built-server.ts';
import { startServerProcess } from '#test/support/servers/server-process.ts';

/** Executable of PgBouncer, or null where it cannot be had. */
export const findPgBouncer = (): Promise<string | null> =>
  builtServer({
    name: 'pgbouncer',
    version: '1.24.1',
    sources: [
      {
        folder: 'libevent',
        url: 'http://deb.debian.org/debian/pool/main/libe/libevent/libevent_2.1.12-stable.orig.tar.gz',
        sha256: '92e6de1be9ec176428fd2367677e61ceffc2ee1cb119035037a27d346b0403bb',
      },
      {
        folder: 'pgbouncer',
        url: 'http://deb.debian.org/debian/pool/main/p/pgbouncer/pgbouncer_1.24.1.orig.tar.gz',
        sha256: 'da72a3aba13072876d055a3e58dd4aba4a5de4ed6148e73033185245598fd3e0',
      },
    ],
    build: [
      `cd libevent && ./configure --prefix="$PWD/../out" --disable-shared --disable-openssl --disable-samples \
         --disable-libevent-regress && make -j2 install`,
      `cd pgbouncer && PKG_CONFIG_PATH="$PWD/../out/lib/pkgconfig" LIBEVENT_CFLAGS="-I$PWD/../out/include" \
         LIBEVENT_LIBS="-L$PWD/../out/lib -levent" ./configure --without-openssl --without-cares --without-pam && make -j2 pgbouncer`,
    ],
    executable: 'pgbouncer/pgbouncer',
  });

/** A PgBouncer in transaction mode before a database. */
export type PgBouncer = {
  /** As the URL of the database, through the pooler. */
  url: string;
  close(): Promise<void>;
};

/** Starts PgBouncer with `serverConnections` connections to the database of `url`, which all clients share. */
export async function startPgBouncer(
  executable: string,
  { url, serverConnections }: { url: string; serverConnections: number },
): Promise<PgBouncer> {
  const folder = await mkdtemp(join(tmpdir(), 'loci-pgbouncer-'));
  const { hostname, port, username, password, pathname } = new URL(url);
  const settings = join(folder, 'pgbouncer.ini');
  const users = join(folder, 'users.txt');
  await writeFile(users, `"${username}" "${decodeURIComponent(password)}"\n`);
  const server = await startServerProcess(executable, async (own) => {
    const lines = [
      '[databases]',
      `${pathname.slice(1)} = host=${hostname} port=${port}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${own}`,
      'unix_socket_dir =',
      'auth_type = scram-sha-256',
      `auth_file = ${users}`,
      'pool_mode = transaction',
      'max_prepared_statements = 100',
      `default_pool_size = ${serverConnections}`,
      'max_client_conn = 500',
    ];
    await writeFile(settings, `${lines.join('\n')}\n`);
    // PgBouncer does not stay root. The other user reads the files.
    await chmod(folder, 0o711);
    return [...(userInfo().uid === 0 ? ['-u', 'nobody'] : []), settings];
  });
  const pooled = new URL(url);
  pooled.port = String(server.port);
  return {
    url: pooled.href,
    close: async () => {
      await server.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
