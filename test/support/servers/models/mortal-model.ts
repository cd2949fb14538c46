/** A program for a thread of a model: a text ends the thread, if the file that `source` names does not exist yet, which it creates. */

import { existsSync, writeFileSync } from 'node:fs';
import { serveModel } from '#providers/local-models/serve-model.ts';

const MORTAL = 'ends the first thread';
const DEADLY = 'ends every thread';

await serveModel(async (source: string) => ({ source, close: async () => undefined }), {
  describe: () => ({ dimensions: 1, maxTokens: 512 }),
  run: async ({ source }, texts: readonly string[]) => {
    if (texts.includes(DEADLY)) process.exit(1);
    if (texts.includes(MORTAL) && !existsSync(source)) {
      writeFileSync(source, '');
      process.exit(1);
    }
    return texts.map((text) => Float32Array.of(text.length));
  },
});
