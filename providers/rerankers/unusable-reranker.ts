import { UnusableModelError } from '#providers/local-models/unusable-model.ts';

const REMEDY =
  'Set LOCI_RERANK_FOLDER to the folder of a cross-encoder with onnx/model_quantized.onnx or onnx/model.onnx, tokenizer.json, ' +
  'tokenizer_config.json and config.json, or leave it out.';

/** Returns the error for a folder without a usable cross-encoder. */
export function unusableReranker(folder: string, reason: string, cause?: unknown): UnusableModelError {
  return new UnusableModelError(folder, { reason, remedy: REMEDY }, cause);
}
