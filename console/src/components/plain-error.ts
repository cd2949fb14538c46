/** An error whose message is written for people, and is shown as it is. */
export class PlainError extends Error {
  override name = 'PlainError';
}
