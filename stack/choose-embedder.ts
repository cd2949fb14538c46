import { acquireEmbeddingModel } from './acquire-embedding-model.ts';
import type { AcquireContext } from './acquire-server.ts';
import { StackError } from './stack-error.ts';
import { EMBEDDING_MODEL } from './versions.ts';

/**
 * The settings of the embedder: what the environment asks for, else the local model, else `lexical` with the reason why.
 * @throws StackError when the local model was asked for by name and cannot be had
 */
export async function chooseEmbedder(context: AcquireContext): Promise<Record<string, string>> {
  const { LOCI_EMBEDDER: asked, LOCI_EMBEDDER_MODEL: model, LOCI_EMBEDDER_FOLDER: folder } = context.environment;
  if (asked === 'openai' || asked === 'lexical') return {};
  if (model !== undefined && model !== EMBEDDING_MODEL.name && folder === undefined) {
    throw new StackError(
      `Only ${EMBEDDING_MODEL.name} is obtained by itself. For ${model}, set LOCI_EMBEDDER_FOLDER to its folder.`,
    );
  }
  const acquired = await acquireEmbeddingModel(context);
  if ('folder' in acquired) return { LOCI_EMBEDDER: 'local', LOCI_EMBEDDER_FOLDER: acquired.folder };
  if (asked === 'local') {
    throw new StackError(
      `LOCI_EMBEDDER is local, but ${acquired.unavailable}\nSet LOCI_EMBEDDER_FOLDER to a folder with the model.`,
    );
  }
  return { LOCI_EMBEDDER: 'lexical', LOCI_EMBEDDER_NOTE: acquired.unavailable };
}
