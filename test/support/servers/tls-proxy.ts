import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { createServer } from 'node:tls';
import type { Certificate } from '#test/support/fixtures/certificates.ts';

/** `h2` for gRPC, `http/1.1` for REST. */
type Protocol = 'h2' | 'http/1.1';

/** Ends TLS in front of a server (`host:port`), as the load balancer of a managed service does. */
export async function startTlsProxy(target: string, options: { server: Certificate; protocol: Protocol }) {
  const { hostname, port } = new URL(`http://${target}`);
  const sockets = new Set<Socket>();
  const { certificate: cert, key } = options.server;
  const server = createServer({ cert, key, ALPNProtocols: [options.protocol] }, (near) => {
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => {
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far).pipe(near);
  }).listen(0, '127.0.0.1');
  server.on('tlsClientError', () => {});
  await once(server, 'listening');
  return {
    // The address of a TCP server.
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
