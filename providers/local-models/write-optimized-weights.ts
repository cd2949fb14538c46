/** Program that `optimized-weights.ts` starts: `write-optimized-weights.ts <weights> <copy>`. */

import { basename } from 'node:path';
import { InferenceSession } from 'onnxruntime-node';
import { OPTIMIZATION } from './optimized-weights.ts';

/** Tensors below this size stay in the file of the graph. */
const MIN_EXTERNAL_BYTES = 1024;

const [weights = '', copy = ''] = process.argv.slice(2);
await InferenceSession.create(weights, {
  ...OPTIMIZATION,
  intraOpNumThreads: 1,
  logSeverityLevel: 3,
  optimizedModelFilePath: copy,
  extra: {
    ...OPTIMIZATION.extra,
    session: {
      optimized_model_external_initializers_file_name: `${basename(copy, '.onnx')}.bin`,
      optimized_model_external_initializers_min_size_in_bytes: String(MIN_EXTERNAL_BYTES),
      save_external_prepacked_constant_initializers: '1',
    },
  },
});
