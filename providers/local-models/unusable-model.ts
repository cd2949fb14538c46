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

/** A thread that could not load its model. `reason` says what is wrong with the model, without its folder; null: nothing known. */
export class ModelThreadError extends Error {
  readonly reason: string | null;

  constructor(message: string, reason: string | null = null) {
    super(message);
    this.reason = reason;
  }
}

/** Returns why a model cannot be loaded, for a message that clients may read: without folders and settings where possible. */
export function reasonOf(error: unknown): string {
  if (error instanceof UnusableModelError) return error.reason;
  if (error instanceof ModelThreadError && error.reason !== null) return error.reason;
  if (!(error instanceof Error)) return 'an unexpected error';
  // Messages of the file system have paths.
  return 'code' in error ? `its files cannot be read (${String(error.code)})` : error.message.replace(/\.$/, '');
}
