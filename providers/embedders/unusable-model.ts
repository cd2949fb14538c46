/** Returns the error for a folder without a usable model. */
export function unusableModel(folder: string, reason: string, cause?: unknown): Error {
  return new Error(
    `The embedding model in ${folder} cannot be used: ${reason}. Set LOCI_EMBEDDER_FOLDER to a folder with ` +
      `onnx/model_quantized.onnx, tokenizer.json, tokenizer_config.json and config.json, or choose another LOCI_EMBEDDER.`,
    { cause },
  );
}
