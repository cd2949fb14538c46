/** Reads a stream of bytes in pieces of a given length. Holds one chunk of the stream, and what a single `read` asks for. */
export class ByteSource {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #chunk: Uint8Array = new Uint8Array();

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** The next bytes; fewer at the end of the stream. */
  async read(length: number): Promise<Buffer> {
    const parts: Uint8Array[] = [];
    for await (const part of this.stream(length)) parts.push(part);
    return Buffer.concat(parts);
  }

  /** The next bytes in chunks; fewer at the end of the stream. What is not taken is the beginning of the next piece. */
  async *stream(length: number): AsyncGenerator<Uint8Array> {
    for (let left = length; left > 0;) {
      if (this.#chunk.byteLength === 0) {
        const { done, value } = await this.#chunks.next();
        if (done === true) return;
        this.#chunk = value;
      }
      const part = this.#chunk.subarray(0, left);
      this.#chunk = this.#chunk.subarray(part.byteLength);
      left -= part.byteLength;
      yield part;
    }
  }

  /** Passes over the next bytes; returns how many there were. */
  async skip(length: number): Promise<number> {
    let skipped = 0;
    for await (const part of this.stream(length)) skipped += part.byteLength;
    return skipped;
  }

  /** Puts bytes back, so that they are read again. */
  unread(bytes: Uint8Array): void {
    this.#chunk = Buffer.concat([bytes, this.#chunk]);
  }

  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}
