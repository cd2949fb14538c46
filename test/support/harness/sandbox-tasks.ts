import { spawnSync } from 'node:child_process';
import dgram from 'node:dgram';
import dns from 'node:dns/promises';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { getPriority } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import tls from 'node:tls';
import { Worker } from 'node:worker_threads';
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
  spawn({ target }) {
    const { error } = spawnSync(target, ['--version']);
    if (error) throw error;
  },
  thread: () => new Worker('', { eval: true }),
  signal: () => process.kill(process.ppid, 0),
  bind: () => (process as unknown as { binding(name: string): unknown }).binding('tcp_wrap'),
  connect: ({ target }) => settled(() => net.connect(Number(target), '127.0.0.1')),
  tls: ({ target }) => settled(() => tls.connect(Number(target), '127.0.0.1')),
  http: ({ target }) => settled(() => http.get(`http://127.0.0.1:${target}/`)),
  https: ({ target }) => settled(() => https.get(`https://127.0.0.1:${target}/`)),
  fetch: ({ target }) => fetch(`http://127.0.0.1:${target}/`),
  listen: () => settled(() => net.createServer().listen(0)),
  datagram: ({ target }) => dgram.createSocket('udp4').send('x', Number(target), '127.0.0.1'),
  resolve: () => dns.lookup('localhost'),
  resolveAny: () => new dns.Resolver().resolve4('example.com'),
};

/** Resolves when the emitter connects, responds or listens; rejects with its error. */
function settled(open: () => NodeJS.EventEmitter): Promise<string> {
  return new Promise((resolve, reject) => {
    const emitter = open();
    for (const event of ['connect', 'response', 'listening']) emitter.once(event, () => resolve(event));
    emitter.once('error', reject);
  });
}
