/** Entry point of the worker thread of a cross-encoder. */

import { serveModel } from '#providers/local-models/serve-model.ts';
import { loadPairModel } from './pair-model.ts';
import type { RerankWork } from './rerank-calls.ts';

await serveModel(loadPairModel, {
  describe: () => null,
  run: (model, work: RerankWork) => model.score(work),
});
