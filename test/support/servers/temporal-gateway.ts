import {
  connect,
  constants,
  createSecureServer,
  type ClientHttp2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { Certificates } from '#test/support/fixtures/certificates.ts';

export type TemporalGateway = { address: string; calls(): number; close(): Promise<void> };

export type GatewayOptions = {
  /** Address of the Temporal server behind it. */
  target: string;
  certificates: Certificates;
  /** What a client must show. */
  requires: { clientCertificate: true } | { apiKey: string };
};

/** gRPC status code UNAUTHENTICATED. */
const UNAUTHENTICATED = '16';

/**
 * Stands before a Temporal server as the entrance of a managed one: TLS, and either a client certificate or an API key. The
 * development server itself offers no TLS. Every call is passed on as it is, over HTTP/2.
 */
export async function startTemporalGateway({
  target,
  certificates,
  requires,
}: GatewayOptions): Promise<TemporalGateway> {
  const { authority, server: own } = certificates;
  const needsCertificate = 'clientCertificate' in requires;
  const server = createSecureServer({
    cert: own.certificate,
    key: own.key,
    ca: authority,
    requestCert: needsCertificate,
    rejectUnauthorized: needsCertificate,
  });
  const upstream = connect(`http://${target}`);
  const sessions = new Set<ServerHttp2Session>();
  let calls = 0;
  server.on('sessionError', () => {});
  server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {});
    if ('apiKey' in requires && headers.authorization !== `Bearer ${requires.apiKey}`) {
      stream.respond(
        { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': UNAUTHENTICATED },
        { endStream: true },
      );
      return;
    }
    calls += 1;
    passOn(upstream, stream, headers);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  return {
    address: `127.0.0.1:${port}`,
    calls: () => calls,
    close: async () => {
      for (const session of sessions) session.destroy();
      upstream.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Passes a call on with its headers, and its answer back with the trailers, which hold the status of gRPC. */
function passOn(upstream: ClientHttp2Session, stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
  const { ':scheme': _scheme, ':authority': _authority, ...others } = headers;
  const call = upstream.request(others);
  let trailers: IncomingHttpHeaders = {};
  call.on('error', () => stream.close(constants.NGHTTP2_INTERNAL_ERROR));
  call.on('trailers', (received) => (trailers = received));
  call.on('response', (received, flags) => {
    const endStream = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
    stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    if (!stream.destroyed) stream.respond(received, { endStream, waitForTrailers: !endStream });
    if (!endStream) call.pipe(stream);
  });
  stream.on('close', () => call.close(constants.NGHTTP2_CANCEL));
  stream.pipe(call);
}
