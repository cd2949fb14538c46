import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export type NodeRelay = {
  address: string;
  use(nodes: readonly string[]): void;
  /** Passes nothing on any more, or again: for a network that is gone, which neither refuses nor closes a connection. */
  hold(isHeld: boolean): void;
  close(): Promise<void>;
};

/**
 * One address in front of the nodes of a cluster, as a service of Kubernetes is: each connection goes to the next node, or to the
 * one after it when that node refuses. `use` names the nodes (`host:port`) that are ready; open connections stay.
 */
export async function startNodeRelay(nodes: readonly string[]): Promise<NodeRelay> {
  let ready = nodes;
  let turn = 0;
  let isHolding = false;
  const sockets = new Set<Socket>();
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
  };
  const open = (near: Socket, attempts: number): void => {
    const address = ready[turn++ % ready.length];
    if (address === undefined || attempts === 0) return void near.destroy();
    const { hostname, port } = new URL(`http://${address}`);
    const far = connect(Number(port), hostname);
    track(far);
    let isOpen = false;
    far.once('connect', () => {
      isOpen = true;
      near.pipe(far).pipe(near);
      near.once('close', () => far.destroy());
    });
    far.once('close', () => (isOpen ? near.destroy() : open(near, attempts - 1)));
  };
  const server = createServer((near) => {
    track(near);
    if (isHolding) near.pause();
    else open(near, ready.length);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    // The address of a TCP server.
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    use: (next) => void (ready = next),
    hold: (isHeld) => {
      isHolding = isHeld;
      for (const socket of sockets)
        if (isHeld) socket.pause();
        else socket.resume();
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
