import { inspect } from 'node:util';

const REDACTED = '[sealed]';

/**
 * A value that must not reach a log, a response or a workflow history by accident: printing, serialising or inspecting it
 * yields `[sealed]`, and spreading it yields nothing. `reveal` returns the plain value explicitly.
 */
export class Secret {
  readonly #bytes: Uint8Array;

  constructor(value: Uint8Array | string) {
    this.#bytes = typeof value === 'string' ? Buffer.from(value, 'utf8') : Uint8Array.from(value);
  }

  /** Returns the plain value as UTF-8 text. */
  reveal(): string {
    return Buffer.from(this.#bytes).toString('utf8');
  }

  /** Returns a copy of the plain bytes. */
  revealBytes(): Uint8Array {
    return Uint8Array.from(this.#bytes);
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  [inspect.custom](): string {
    return REDACTED;
  }
}
