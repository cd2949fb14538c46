/** An error of the one-machine stack. Only its message is shown to the user, without a stack trace. */
export class StackError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'StackError';
  }
}

/** Returns the message of a thrown value, with the message of its cause, where `fetch` puts the actual reason. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const reason = error.cause instanceof Error ? error.cause.message : '';
  return reason === '' || error.message.includes(reason) ? error.message : `${error.message} (${reason})`;
}
