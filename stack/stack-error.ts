/** A reason why the one-machine stack cannot be started, told to the person at the terminal: its message is all they need. */
export class StackError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'StackError';
  }
}

/** The message of anything that was thrown, with the reason behind it where `fetch` and friends hide one. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const reason = error.cause instanceof Error ? error.cause.message : '';
  return reason === '' || error.message.includes(reason) ? error.message : `${error.message} (${reason})`;
}
