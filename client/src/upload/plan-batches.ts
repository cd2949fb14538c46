import type { UploadInput } from './upload-input.ts';

/** How much goes into one request. They shrink when the service takes less. */
export type BatchLimits = { maxItems: number; maxBytes: number };

/** Inputs in batches within the limits of the moment, in their order; what is larger than a request goes alone. */
export async function* planBatches(
  inputs: AsyncIterable<UploadInput>,
  limits: Readonly<BatchLimits>,
): AsyncGenerator<UploadInput[], void, undefined> {
  let batch: UploadInput[] = [];
  let sizeBytes = 0;
  for await (const input of inputs) {
    const isFull = batch.length >= limits.maxItems || sizeBytes + input.sizeBytes > limits.maxBytes;
    if (batch.length > 0 && isFull) {
      yield batch;
      batch = [];
      sizeBytes = 0;
    }
    batch.push(input);
    sizeBytes += input.sizeBytes;
  }
  if (batch.length > 0) yield batch;
}
