import type { HttpErrorCode } from './error-status.ts';

/** An error only HTTP knows, such as a method that a path does not take. `message` is shown to the client. */
export class HttpError extends Error {
  readonly code: HttpErrorCode;
  constructor(code: HttpErrorCode, message: string) {
    super(message);
    this.name = 'HttpError';
    this.code = code;
  }
}

/** Status of a request whose client went away, as nginx logs it. Never sent. */
export const CLIENT_CLOSED_REQUEST = 499;

/** The client went away before its request was complete: there is nobody to answer. */
export class ClientGone extends Error {
  constructor(options?: { cause: unknown }) {
    super('The client closed the connection before its request was complete.', options);
    this.name = 'ClientGone';
  }
}
