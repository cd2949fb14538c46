import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/**
 * What happens to a connection: it passes everything; it never answers; it drops the answer when it arrives (`lost`); it passes so
 * many bytes of the answer and then breaks off or stalls; it answers 503 itself; it is closed at once.
 */
export type Fault =
  { kind: 'none' | 'silent' | 'lost' | 'unavailable' | 'closed' } | { kind: 'cut' | 'stalled'; afterBytes: number };

const UNAVAILABLE = 'HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';

/** Starts a relay to a local port whose connections fail as told: the next ones with `faults`, in order, the others with `usual`. */
export async function startFaultyRelay(targetPort: number) {
  const faults: Fault[] = [];
  const open = new Set<Socket>();
  /** `sent`: the bytes of the clients, as Latin-1; `clients`: how many are connected. */
  const state = { usual: { kind: 'none' } as Fault, sent: '', clients: 0 };
  const server = createServer((client) => {
    state.clients += 1;
    client.once('close', () => (state.clients -= 1));
    client.on('data', (bytes) => (state.sent += bytes.toString('latin1')));
    const target = connect(targetPort, '127.0.0.1');
    for (const socket of [client, target]) {
      open.add(socket);
      socket.on('error', () => undefined).on('close', () => open.delete(socket));
    }
    relay(client, target, faults.shift() ?? state.usual);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server's
  return {
    port,
    endpoint: `http://127.0.0.1:${port}`,
    state,
    faults,
    /** Ends all connections: the next requests open new ones. */
    cut() {
      for (const socket of open) socket.destroy();
    },
    close() {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}

function relay(client: Socket, target: Socket, fault: Fault): void {
  const end = () => {
    client.destroy();
    target.destroy();
  };
  client.on('close', end);
  if (fault.kind === 'closed') return end();
  if (fault.kind === 'silent') return void client.resume();
  if (fault.kind === 'unavailable') return void client.once('data', () => client.end(UNAVAILABLE)).resume();
  client.pipe(target);
  if (fault.kind === 'none') {
    target.pipe(client);
    return;
  }
  let passed = 0;
  target.on('data', (bytes) => {
    // An interim answer (100) only lets the client send its body.
    if (bytes.subarray(0, 12).toString() === 'HTTP/1.1 100') return void client.write(bytes);
    if (fault.kind === 'lost') return end();
    const left = 'afterBytes' in fault ? fault.afterBytes - passed : bytes.length;
    const part = bytes.subarray(0, Math.max(0, left));
    passed += part.length;
    client.write(part, () => {
      if (fault.kind === 'cut' && part.length === left) end();
    });
  });
  target.on('close', () => (fault.kind === 'stalled' ? undefined : end()));
}
