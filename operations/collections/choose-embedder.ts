import { validationError } from '#domain/app-error.ts';
import { embedderName, type Embedder, type NamedEmbedder } from '#domain/embedder.ts';
import type { EmbeddingChoice } from '#domain/records/collection.ts';
import type { Services } from '#operations/services.ts';

/**
 * Returns the configured embedder that a request names, by its name, or by its provider and model; the default one without a choice.
 * A provider alone means the default embedder if it is of that provider.
 * @throws AppError `validation_failed` that names those that there are.
 */
export function chooseEmbedder({ embedders }: Pick<Services, 'embedders'>, choice?: EmbeddingChoice): Embedder {
  if (!choice) return embedders.preferred;
  const { name, provider, model } = choice;
  const isMeant = (one: NamedEmbedder): boolean => {
    const { space } = one.embedder;
    const hasName = name === undefined || one.name === name || (name === 'lexical' && space.provider === name);
    return hasName && (provider ?? space.provider) === space.provider && (model ?? space.model) === space.model;
  };
  const [found, ...others] = embedders.all.filter(isMeant);
  if (found && (others.length === 0 || found.embedder === embedders.preferred)) return found.embedder;
  const names = (all: readonly NamedEmbedder[]) =>
    all.map((one) => `${one.name} (${embedderName(one.embedder.space)})`).join(', ');
  const msg = found
    ? `means several embedders; give the name of one: ${names([found, ...others])}`
    : `is not configured on this server, which has ${names(embedders.all)}; leave it out to use the default embedder`;
  throw validationError([{ loc: ['body', 'embedding'], msg, type: 'embedder_unavailable' }]);
}
