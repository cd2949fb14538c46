import type { Readable } from 'node:stream';

/** An answer that says more than its body: another status, headers, or bytes instead of JSON. */
export class Reply<T> {
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly content:
    { kind: 'json'; body: T } | { kind: 'stream'; stream: Readable; mediaType: string } | { kind: 'nothing' };

  private constructor(content: Reply<T>['content'], status: number | null, headers: Record<string, string>) {
    this.content = content;
    this.status = status;
    this.headers = headers;
  }

  /** A JSON body with a status of its own. */
  static json<T>(body: T, options: { status?: number; headers?: Record<string, string> } = {}): Reply<T> {
    return new Reply<T>({ kind: 'json', body }, options.status ?? null, options.headers ?? {});
  }

  /** No body at all: 204. Its route's `response` is `z.null()`. */
  static nothing(): Reply<never> {
    return new Reply<never>({ kind: 'nothing' }, 204, {});
  }

  /** On to another place, to be fetched with GET. */
  static redirect(location: string): Reply<never> {
    return new Reply<never>({ kind: 'nothing' }, 303, { Location: location });
  }

  /** Bytes as they come. A failure after the first of them cuts the connection, so that half is never taken for whole. */
  static stream(
    stream: Readable,
    options: { mediaType: string; status?: number; headers?: Record<string, string> },
  ): Reply<never> {
    const { mediaType, status = null, headers = {} } = options;
    return new Reply<never>({ kind: 'stream', stream, mediaType }, status, headers);
  }
}
