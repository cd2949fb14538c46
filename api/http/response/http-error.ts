import type { HttpErrorCode } from './error-status.ts';

/** An error that exists only in HTTP, such as a method that a path does not support. `message` is shown to the client. */
export class HttpError extends Error {
  readonly code: HttpErrorCode;
  constructor(code: HttpErrorCode, message: string) {
    super(message);
    this.name = 'HttpError';
    this.code = code;
  }
}

/** Status of a request whose client closed the connection, as nginx logs it. It is never sent. */
export const CLIENT_CLOSED_REQUEST = 499;

/** The client closed the connection before its request was complete, so no response can be sent. */
export class ClientClosedRequest extends Error {
  constructor(options?: { cause: unknown }) {
    super('The client closed the connection before its request was complete.', options);
    this.name = 'ClientClosedRequest';
  }
}
