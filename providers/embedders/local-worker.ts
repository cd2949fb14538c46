/** Entry point of the worker thread of a sentence model. */

import { serveModel } from '#providers/local-models/serve-model.ts';
import { loadSentenceModel } from './sentence-model.ts';

await serveModel(loadSentenceModel, {
  describe: ({ dimensions, maxTokens }) => ({ dimensions, maxTokens }),
  run: (model, texts: readonly string[]) => model.embed(texts),
});
