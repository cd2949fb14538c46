/**
 * Scales a vector to length 1, in place. A vector without a direction (all zeros, or not finite) becomes the first axis, so that
 * every text can be stored in a cosine index.
 */
export function toUnitVector(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const length = Math.sqrt(squares);
  if (!(length > 1e-12 && length < Infinity)) {
    vector.fill(0);
    vector[0] = 1;
    return vector;
  }
  for (let index = 0; index < vector.length; index++) vector[index] = (vector[index] ?? 0) / length;
  return vector;
}

/** Adds a vector, times its weight, to a sum. */
export function addWeighted(sum: Float32Array, vector: Float32Array, weight: number): void {
  for (let index = 0; index < vector.length; index++) sum[index] = (sum[index] ?? 0) + weight * (vector[index] ?? 0);
}
