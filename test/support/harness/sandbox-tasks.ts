import { spawn, spawnSync } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import Module, { createRequire } from 'node:module';
import net from 'node:net';
import { getPriority, setPriority } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import tls from 'node:tls';
import { AppError } from '#domain/app-error.ts';
import type { ChildTask } from '#providers/sandbox/child-task.ts';

/** Runs a task that misbehaves in a way that a parser could. Called inside the sandbox. */
export async function runTask({ inputPath, outputPrefix, payload }: ChildTask): Promise<unknown> {
  const { kind, target = '' } = payload as { kind: string; target?: string };
  const task = TASKS[kind];
  if (!task) throw new Error(`no such task: ${kind}`);
  return task({ inputPath, outputPrefix, target });
}

type Arguments = { inputPath: string; outputPrefix: string; target: string };

const TASKS: Readonly<Record<string, (task: Arguments) => unknown>> = {
  echo: ({ inputPath }) => readFileSync(inputPath, 'utf8'),
  pid: () => process.pid,
  priority: () => getPriority(),
  // Waits until the file exists.
  async waitFor({ target }) {
    while (!existsSync(target)) await setTimeout(5);
    return 'opened';
  },
  write({ outputPrefix, target }) {
    writeFileSync(`${outputPrefix}.txt`, target);
    return target.length;
  },
  refuse() {
    throw new AppError('unreadable', 'Not this one.');
  },
  fail() {
    throw new Error('a fault of the installation');
  },
  fullDisk() {
    throw Object.assign(new Error('no space left on device, write'), { code: 'ENOSPC' });
  },
  loop() {
    for (;;);
  },
  nap: ({ target }) => setTimeout(Number(target), 'rested'),
  // A promise that never settles; only the channel to the parent keeps the process alive.
  hang: () => new Promise(() => undefined),
  hogHeap() {
    const hoard: string[][] = [];
    for (;;) hoard.push(Array.from({ length: 100_000 }, (_, index) => `${index} `));
  },
  hogBuffers() {
    const hoard: Buffer[] = [];
    for (;;) hoard.push(Buffer.alloc(16 * 1024 * 1024, 1));
  },
  crash: () => process.abort(),
  exit: () => process.exit(0),
  environment: () => process.env,
  overwriteInput: ({ inputPath }) => writeFileSync(inputPath, 'changed'),
  readFile: ({ target }) => readFileSync(target, 'utf8'),
  writeFile: ({ target }) => writeFileSync(target, 'x'),
  /** Returns the ways in which a module of Node can be loaded. */
  builtin: ({ target }) => waysTo(target),
  /** Returns the names of the attempts that were not refused. */
  reachOut: ({ target }) =>
    Object.entries(attemptsOn(target)).flatMap(([name, attempt]) => (isRefused(attempt) ? [] : [name])),
  globals: () => UNWANTED_GLOBALS.filter((name) => name in globalThis),
  connect: async ({ target }) => {
    const port = Number(target);
    const url = `127.0.0.1:${port}/`;
    const ways = {
      net: () => net.connect(port, '127.0.0.1'),
      // Standard error is a socket, and so leads to its class.
      open: () => socketOf(process.stderr).connect(port, '127.0.0.1'),
      tls: () => tls.connect(port, '127.0.0.1'),
      http: () => http.get(`http://${url}`),
      https: () => https.get(`https://${url}`),
      listen: () => net.createServer().listen(0),
      listenHttp: () => http.createServer().listen(0),
      handle: () => call(net, '_createServerHandle', '127.0.0.1', 0, 4),
      tcpBind: () => call(tcpHandle(), 'bind', '127.0.0.1', 0),
      pipeBind: () => call(pipeHandle(), 'bind', `/tmp/loci-${process.pid}.sock`),
      channelBind: () => call(channelHandle(), 'bind', `/tmp/loci-${process.pid}.sock`),
      listenHandle: () => call(net.Server.prototype, '_listen2', '127.0.0.1', 0, 4),
    };
    const results = Object.entries(ways).map(async ([name, open]) => ((await isOpened(open)) ? [name] : []));
    return (await Promise.all(results)).flat();
  },
};

/** Whether the emitter connects, responds or listens. */
function isOpened(open: () => unknown): Promise<boolean> {
  return new Promise((resolve) => {
    try {
      const emitter = open();
      if (!(emitter instanceof EventEmitter)) return resolve(true);
      for (const event of ['connect', 'secureConnect', 'response', 'listening'])
        emitter.once(event, () => resolve(true));
      emitter.once('error', () => resolve(false));
    } catch {
      resolve(false);
    }
  });
}

const UNWANTED_GLOBALS = ['fetch', 'WebSocket', 'EventSource', 'Worker', 'BroadcastChannel', 'localStorage', 'Storage'];

async function waysTo(name: string): Promise<string[]> {
  const require = createRequire(import.meta.url);
  const ways: Record<string, () => unknown> = {
    import: () => import(name),
    importWithPrefix: () => import(`node:${name.replace(/^node:/, '')}`),
    importByUrl: () => import(`data:text/javascript,export * from ${JSON.stringify(name)}`),
    require: () => require(name),
    load: () => call(Module, '_load', name),
    prototypeRequire: () => call(new Module('a module'), 'require', name),
    getBuiltinModule: () => process.getBuiltinModule(name) ?? refusal(),
  };
  const open: string[] = [];
  for (const [way, load] of Object.entries(ways)) {
    const loaded = await Promise.resolve()
      .then(load)
      .then(
        () => true,
        () => false,
      );
    if (loaded) open.push(way);
  }
  return open;
}

/** What reaches outside of the process without importing a further module; `folder` is one that it may not write to. */
function attemptsOn(folder: string): Record<string, () => unknown> {
  const ofProcess = (name: string, ...rest: unknown[]) => call(process, name, ...rest);
  return {
    spawn: () => spawn(process.execPath, ['--version']),
    spawnSync: () => requireNone(spawnSync(process.execPath, ['--version'])),
    kill: () => process.kill(process.ppid, 0),
    _kill: () => ofProcess('_kill', process.ppid, 0),
    _debugProcess: () => ofProcess('_debugProcess', process.ppid),
    binding: () => ofProcess('binding', 'tcp_wrap'),
    _linkedBinding: () => ofProcess('_linkedBinding', 'tcp_wrap'),
    execve: () => ofProcess('execve', process.execPath, [process.execPath, '--version'], {}),
    dlopen: () => process.dlopen({ exports: {} }, '/nowhere.node'),
    loadEnvFile: () => process.loadEnvFile('/etc/passwd'),
    setuid: () => ofProcess('setuid', 0),
    report: () => process.report.writeReport(`${folder}/report.json`),
    setPriority: () => setPriority(process.ppid, 19),
    registerHooks: () => Module.registerHooks({}),
    register: () => Module.register('data:text/javascript,export {}'),
    compileCache: () => Module.enableCompileCache(folder),
    writeFile: () => writeFileSync(`${folder}/new`, 'x'),
  };
}

function requireNone({ error }: { error?: Error | undefined }): void {
  if (error) throw error;
}

function isRefused(attempt: () => unknown): boolean {
  try {
    attempt();
    return false;
  } catch {
    return true;
  }
}

function call(owner: object, name: string, ...rest: unknown[]): unknown {
  const method: unknown = Reflect.get(owner, name);
  return typeof method === 'function' ? Reflect.apply(method, owner, rest) : refusal();
}

function refusal(): never {
  throw new Error('there is no such module or function');
}

/** The handle below a socket of TLS, which is one of TCP. */
function tcpHandle(): object {
  const socket = Reflect.construct(tls.TLSSocket, [null, {}]) as unknown as { _handle: { _parent: object } };
  const { _handle: secured } = socket;
  const { _parent: handle } = secured;
  return handle;
}

/** A new handle of the kind that standard error has. */
function pipeHandle(): object {
  const { _handle: handle } = process.stderr as unknown as { _handle: { constructor: new (type: number) => object } };
  return new handle.constructor(0);
}

/** A new handle of the kind that the channel to the parent has. */
function channelHandle(): object {
  const key = Object.getOwnPropertySymbols(process).find(({ description }) => description === 'kChannelHandle');
  const channel = Reflect.get(process, key ?? '') as { constructor: new (type: number) => object };
  return new channel.constructor(1);
}

function socketOf(stream: object): net.Socket {
  // The class of the stream is that of sockets.
  const { constructor: Socket } = stream as { constructor: new () => net.Socket };
  return new Socket();
}
