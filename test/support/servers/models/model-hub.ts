import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type HubRepositoryFile = {
  bytes: Buffer;
  /** Kept by the hub outside of Git, with a SHA-256. */
  isLarge?: boolean;
};

/** What goes wrong with a download; `path` is that of the file in the repository. */
export type HubFault = {
  path: string;
  /** Each response ends after so many bytes, as if it were whole. */
  endsAfter?: number;
  /** The connection is lost instead. */
  isLost?: boolean;
  /** So often; by default always. */
  times?: number;
  /** What is sent instead of the file. */
  sends?: Buffer;
  ignoresRanges?: boolean;
};

const COMMIT = '0123456789abcdef0123456789abcdef01234567';

/**
 * Starts a model hub with one repository: what the hub's API says about its files, with the checksums of what they are, and the
 * files by commit, in parts if asked.
 */
export async function startModelHub(repository: string, files: Record<string, HubRepositoryFile>) {
  const requests: { path: string; range: string | null; authorization: string | null }[] = [];
  const faults: HubFault[] = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://hub');
    const { range = null, authorization = null } = request.headers;
    requests.push({ path: pathname, range, authorization });
    if (pathname === `/api/models/${repository}/revision/main`) response.end(JSON.stringify(describe(files)));
    else sendFile(request, response, { pathname });
  });
  function sendFile(request: IncomingMessage, response: ServerResponse, { pathname }: { pathname: string }): void {
    const path = pathname.replace(`/${repository}/resolve/${COMMIT}/`, '');
    const file = files[path];
    if (!file) return void response.writeHead(404).end();
    const fault = faults.find((one) => one.path === path && (one.times ?? 1) > 0);
    if (fault?.times) fault.times -= 1;
    const bytes = fault?.sends ?? file.bytes;
    const from = fault?.ignoresRanges ? 0 : Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    const part = bytes.subarray(from);
    const isWhole = fault?.endsAfter === undefined || fault.endsAfter >= part.length;
    const headers: Record<string, number> = isWhole || fault.isLost ? { 'content-length': part.length } : {};
    if (from > 0)
      response.writeHead(206, { ...headers, 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` });
    else response.writeHead(200, headers);
    if (isWhole) return void response.end(part);
    const beginning = part.subarray(0, fault.endsAfter);
    if (fault.isLost) response.write(beginning, () => response.destroy());
    else response.end(beginning);
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    requests,
    faults,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function describe(files: Record<string, HubRepositoryFile>) {
  const digest = (algorithm: string, ...parts: (string | Buffer)[]) => {
    const hash = createHash(algorithm);
    for (const part of parts) hash.update(part);
    return hash.digest('hex');
  };
  return {
    sha: COMMIT,
    siblings: Object.entries(files).map(([rfilename, { bytes, isLarge = false }]) => ({
      rfilename,
      size: bytes.length,
      blobId: digest('sha1', `blob ${bytes.length}\0`, bytes),
      ...(isLarge ? { lfs: { sha256: digest('sha256', bytes), size: bytes.length, pointerSize: 134 } } : {}),
    })),
  };
}
