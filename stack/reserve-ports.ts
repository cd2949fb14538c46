import { createServer, type Server } from 'node:net';

/** Blocks are below the range of outgoing connections, so that the port of a restarted server is still free. */
const FIRST_PORT = 15_000;
const BLOCK_SIZE = 16;
const BLOCKS = 900;

const HOST = '127.0.0.1';

/**
 * Returns 15 consecutive ports that are free and that no other call returns, here or in another process of this machine, until
 * this process ends: it listens on the port before them. To test for a free port and listen on it later is not enough when
 * several programs start servers at the same time.
 */
export async function reservePorts(): Promise<readonly number[]> {
  for (;;) {
    const first = FIRST_PORT + BLOCK_SIZE * Math.floor(Math.random() * BLOCKS);
    const guard = await listen(first, HOST);
    if (guard === null) continue;
    const ports = Array.from({ length: BLOCK_SIZE - 1 }, (_, index) => first + 1 + index);
    const areFree = await Promise.all(ports.map(isFreePort));
    if (!areFree.includes(false)) {
      guard.unref();
      return ports;
    }
    guard.close();
  }
}

/** Some servers listen on every interface, others on loopback only, so both must be free. */
export async function isFreePort(port: number): Promise<boolean> {
  return (await canListen(port, HOST)) && (await canListen(port, undefined));
}

async function canListen(port: number, host: string | undefined): Promise<boolean> {
  const server = await listen(port, host);
  if (server === null) return false;
  await new Promise((resolve) => server.close(resolve));
  return true;
}

function listen(port: number, host: string | undefined): Promise<Server | null> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', () => resolve(null));
    server.listen({ port, host, exclusive: true }, () => resolve(server));
  });
}
