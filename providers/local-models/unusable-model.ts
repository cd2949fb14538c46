/** A folder without a usable model. `reason` says what is wrong, without the setting to change. */
export class UnusableModelError extends Error {
  readonly folder: string;
  readonly reason: string;

  constructor(folder: string, { reason, remedy }: { reason: string; remedy: string }, cause?: unknown) {
    super(`The model in ${folder} cannot be used: ${reason}. ${remedy}`, { cause });
    this.folder = folder;
    this.reason = reason;
  }
}

const REMEDY =
  'Set LOCI_EMBEDDER_FOLDER to a folder with onnx/model_quantized.onnx, tokenizer.json, tokenizer_config.json and ' +
  'config.json, or choose another LOCI_EMBEDDER.';

/** Returns the error for a folder without a usable embedding model. */
export function unusableModel(folder: string, reason: string, cause?: unknown): UnusableModelError {
  return new UnusableModelError(folder, { reason, remedy: REMEDY }, cause);
}
