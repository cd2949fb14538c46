/**
 * Yields what a stream has, and cancels the stream when the iteration ends before it. The same as iterating over the stream itself,
 * which Safari, and Chrome before 124, cannot do.
 * @throws what the stream fails with
 */
export async function* readStream<T>(stream: ReadableStream<T>): AsyncGenerator<T> {
  const reader = stream.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    // Of a stream that has ended, this does nothing; of one that has failed, it throws the same again.
    await reader.cancel();
  }
}
