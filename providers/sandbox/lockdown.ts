import dgram from 'node:dgram';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import { Worker } from 'node:worker_threads';
import workerThreads from 'node:worker_threads';

const WATCH_INTERVAL_MS = 500;

/**
 * Thread that kills the process when its parent is gone, even while a parser blocks the main thread. The parent's id is inserted
 * here, because the parent may be gone by the time the thread starts.
 */
const WATCHDOG = `
  setInterval(() => { if (process.ppid !== ${process.ppid}) process.kill(process.pid, 'SIGKILL'); }, ${WATCH_INTERVAL_MS});
`;

function refuse(): never {
  throw Object.assign(new Error('This process has no network access'), { code: 'ERR_ACCESS_DENIED' });
}

/**
 * Disables what no parser needs, before any is loaded: sockets, name resolution, further threads, signals to other processes.
 * Node's permission model (`--permission`) already denies files, child processes and native code, but has no network permission
 * in this version.
 */
export function lockDown(): void {
  new Worker(WATCHDOG, { eval: true, env: {}, resourceLimits: { maxOldGenerationSizeMb: 8 } }).unref();
  net.Socket.prototype.connect = refuse;
  net.Server.prototype.listen = refuse;
  // HTTP, TLS, HTTP/2 and the global fetch all use the two above; the rest covers datagrams and name resolution.
  dgram.createSocket = refuse;
  dgram.Socket.prototype.send = refuse;
  dgram.Socket.prototype.bind = refuse;
  dgram.Socket.prototype.connect = refuse;
  for (const owner of [dns, dns.promises]) {
    for (const [name, value] of Object.entries(owner)) {
      if (typeof value === 'function' && /^(?:lookup|resolve|reverse)/.test(name))
        Object.assign(owner, { [name]: refuse });
    }
  }
  Object.assign(workerThreads, { Worker: refuse });
  for (const name of ['fetch', 'WebSocket', 'EventSource', 'Worker', 'BroadcastChannel'])
    Reflect.deleteProperty(globalThis, name);
  process.kill = refuse;
  syncBuiltinESMExports();
}
