import { createSocket } from 'node:dgram';

const A = 1;
const NOERROR = 0;
const NXDOMAIN = 3;

export type NameServer = {
  /** Host and port. */
  address: string;
  /** Names that it was asked for, in order. */
  asked: string[];
  close(): void;
};

/**
 * Starts a name server that answers `address` for names that begin with "known", nothing for "silent", and else that there is
 * no such name.
 */
export async function startNameServer(address: string): Promise<NameServer> {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  const bytes = address.split('.').map(Number);
  socket.on('message', (query, from) => {
    const { labels, end } = readName(query);
    asked.push(labels.join('.'));
    if (labels[0] === 'silent') return;
    const isKnown = labels[0] === 'known';
    const hasAnswer = isKnown && query.readUInt16BE(end) === A;
    const head = Buffer.from(query.subarray(0, 12));
    // A response to this query, with recursion, and the number of questions, answers and the rest.
    head.writeUInt16BE(0x8180 | (isKnown ? NOERROR : NXDOMAIN), 2);
    for (const [index, count] of [1, hasAnswer ? 1 : 0, 0, 0].entries()) head.writeUInt16BE(count, 4 + 2 * index);
    const answer = hasAnswer ? Buffer.from([0xc0, 12, 0, A, 0, 1, 0, 0, 0, 60, 0, 4, ...bytes]) : Buffer.alloc(0);
    socket.send(Buffer.concat([head, query.subarray(12, end + 4), answer]), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return { address: `127.0.0.1:${socket.address().port}`, asked, close: () => void socket.close() };
}

/** The labels of the first question, and where its type begins. */
function readName(query: Buffer): { labels: string[]; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { labels, end: at + 1 };
}
