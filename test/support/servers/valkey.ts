import { builtServer } from './built-server.ts';
import { startServerProcess, type ServerProcess } from './server-process.ts';

/** Executable of Valkey, a Redis-compatible server, or null where it cannot be had. */
export const findValkey = (): Promise<string | null> =>
  builtServer({
    name: 'valkey-server',
    version: '8.1.1',
    sources: [
      {
        folder: 'valkey',
        url: 'http://deb.debian.org/debian/pool/main/v/valkey/valkey_8.1.1%2bdfsg1.orig.tar.xz',
        sha256: 'd9bbd82eecb82f359e649a0007ad3dc1b47cc15afa626348ca86b73c4ae2c7ee',
      },
    ],
    build: ['cd valkey && make -j2 MALLOC=libc BUILD_TLS=no OPTIMIZATION=-O1 valkey-server'],
    executable: 'valkey/src/valkey-server',
  });

/** Starts Valkey without persistence. */
export function startValkey(executable: string): Promise<ServerProcess> {
  return startServerProcess(executable, (port) =>
    Promise.resolve(['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']),
  );
}
