import type { Readable } from 'node:stream';

/** A response with more than a JSON body: another status, headers, or a stream instead of JSON. */
export class Reply<T> {
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly content:
    { kind: 'json'; body: T } | { kind: 'stream'; stream: Readable; mediaType: string } | { kind: 'empty' };

  private constructor(content: Reply<T>['content'], status: number | null, headers: Record<string, string>) {
    this.content = content;
    this.status = status;
    this.headers = headers;
  }

  /** A JSON body with its own status and headers. */
  static json<T>(body: T, options: { status?: number; headers?: Record<string, string> } = {}): Reply<T> {
    return new Reply<T>({ kind: 'json', body }, options.status ?? null, options.headers ?? {});
  }

  /** 204 without a body. The `response` of its route is `z.null()`. */
  static noContent(): Reply<never> {
    return new Reply<never>({ kind: 'empty' }, 204, {});
  }

  /** A 303 redirect, which clients follow with GET. */
  static redirect(location: string): Reply<never> {
    return new Reply<never>({ kind: 'empty' }, 303, { Location: location });
  }

  /** Streams bytes. A failure after the first byte cuts the connection, so that a partial response is not taken for complete. */
  static stream(
    stream: Readable,
    options: { mediaType: string; status?: number; headers?: Record<string, string> },
  ): Reply<never> {
    const { mediaType, status = null, headers = {} } = options;
    return new Reply<never>({ kind: 'stream', stream, mediaType }, status, headers);
  }
}
