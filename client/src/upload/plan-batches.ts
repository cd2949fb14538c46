import type { UploadInput } from './upload-input.ts';

/** Limits of one request. They are reduced if the service accepts less. */
export type BatchLimits = { maxItems: number; maxBytes: number };

/** Groups inputs in their order into batches within the current limits. An input over the size limit is sent alone. */
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
