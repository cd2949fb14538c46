import dgram from 'node:dgram';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import tls from 'node:tls';
import { Worker } from 'node:worker_threads';
import workerThreads from 'node:worker_threads';
import { refuse, restrictBuiltins } from './restrict-builtins.ts';

const WATCH_INTERVAL_MS = 500;

const HANDLES: ReadonlySet<string> = new Set(['TCP', 'Pipe']);
const REACHING_OUT = ['bind', 'bind6', 'connect', 'connect6', 'fchmod', 'listen', 'open'];

/**
 * Thread that kills the process when its parent is gone, even while a parser blocks the main thread. The parent's id is inserted
 * here, because the parent may be gone by the time the thread starts.
 */
const WATCHDOG = `
  setInterval(() => { if (process.ppid !== ${process.ppid}) process.kill(process.pid, 'SIGKILL'); }, ${WATCH_INTERVAL_MS});
`;

/**
 * Disables what no parser needs, before any is loaded: sockets, name resolution, further threads, signals to other processes, and
 * all modules of Node but a few. Node's permission model (`--permission`) already denies files, child processes and native code,
 * but has no network permission in this version. Where the kernel allows it, the process also has a network of its own, without
 * any interface: see `network-namespace.ts`.
 */
export function lockDown(): void {
  new Worker(WATCHDOG, { eval: true, env: {}, resourceLimits: { maxOldGenerationSizeMb: 8 } }).unref();
  net.Socket.prototype.connect = refuse;
  net.Server.prototype.listen = refuse;
  // Undocumented: they return handles that connect and listen without the two above.
  for (const name of ['_listen2', '_setupListenHandle']) Reflect.set(net.Server.prototype, name, refuse);
  Reflect.set(net, '_createServerHandle', refuse);
  disableHandles();
  // HTTP, TLS and the global fetch all use these. The modules of the rest cannot be imported.
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
  restrictBuiltins();
  syncBuiltinESMExports();
}

/**
 * Disables the handles below the classes of `net`, which can be reached from a socket that is open already: they connect, and create
 * the files of Unix sockets anywhere. The channel to the parent uses its own handle as it is.
 */
function disableHandles(): void {
  // Without a socket of its own, it opens a handle.
  const socket = Reflect.construct(tls.TLSSocket, [null, {}]);
  const { _handle: secured } = socket as unknown as { _handle: { _parent: object } };
  const { _parent: tcp } = secured;
  const { _handle: pipe } = process.stderr as unknown as { _handle: object };
  // With these the sandbox would only seem to be closed, so it does not start when they are not where they were.
  for (const { constructor } of [tcp, pipe]) {
    if (!HANDLES.has(constructor.name)) throw new Error(`a handle is a ${constructor.name}`);
    for (const name of REACHING_OUT)
      if (name in constructor.prototype) Reflect.set(constructor.prototype, name, refuse);
  }
  socket.destroy();
}
