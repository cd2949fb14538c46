import { z } from 'zod';
import { PRESET_NAMES, tokensOfLongerPrefix } from '#providers/embedders/model-presets.ts';

const MAX_EMBEDDERS = 20;
/** Prefixes take room that texts then lack: at least a fifth of 512 tokens is left, in any script. */
const MAX_PREFIX_CHARACTERS = 400;
/** The embedder that `LOCI_EMBEDDER` configures, and the providers, which the command accepts as names. */
const RESERVED_NAMES: ReadonlySet<string> = new Set(['default', 'lexical', 'local', 'openai']);

/** What a model reads at once: no model reads less, and few more. */
const MIN_TOKENS = 64;
const MAX_TOKENS = 131_072;

/** Most tokens of a text for a server. */
export const MaxTokens = z.int().min(MIN_TOKENS).max(MAX_TOKENS);

const NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/;

const text = z.string().min(1).max(500);
const Common = {
  model: text.optional(),
  preset: z.enum(PRESET_NAMES).optional(),
  dimensions: z.int().min(1).max(65_536).optional(),
  query_prefix: z.string().max(MAX_PREFIX_CHARACTERS).optional(),
  document_prefix: z.string().max(MAX_PREFIX_CHARACTERS).optional(),
};

const LocalEntry = z.strictObject({
  provider: z.literal('local'),
  ...Common,
  folder: text.optional(),
  threads: z.int().min(1).max(64).optional(),
});
const ServerEntry = z.strictObject({
  provider: z.literal('openai'),
  ...Common,
  base_url: z.url({ protocol: /^https?$/ }),
  max_tokens: MaxTokens.optional(),
  api_key: text.optional(),
  api_key_env: text.optional(),
  api_key_file: text.optional(),
});

const Entry = z.discriminatedUnion('provider', [LocalEntry, ServerEntry]).superRefine((entry, context) => {
  const report = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
  if (!entry.model && !entry.preset) report('model', 'is required without a preset');
  const hasPrefix = entry.query_prefix !== undefined || entry.document_prefix !== undefined;
  if (entry.preset && hasPrefix)
    report('preset', 'says which prefixes texts get: leave out query_prefix and document_prefix');
  if (entry.provider === 'local' && entry.preset && entry.dimensions)
    report('preset', 'says how many dimensions vectors have: leave out dimensions');
  if (entry.provider === 'local') return;
  if (!entry.preset && !entry.dimensions) report('dimensions', 'is required without a preset');
  const prefixes = { query: entry.query_prefix ?? '', document: entry.document_prefix ?? '' };
  const left = (entry.max_tokens ?? Infinity) - tokensOfLongerPrefix(prefixes);
  if ((entry.max_tokens ?? 0) >= MIN_TOKENS && left < MIN_TOKENS)
    report('max_tokens', `leaves less than ${MIN_TOKENS} tokens beside the prefixes`);
  if ([entry.api_key, entry.api_key_env, entry.api_key_file].filter((given) => given !== undefined).length > 1)
    report('api_key', 'is given more than once: leave only one of api_key, api_key_env and api_key_file');
});

/** The setting that configures embedders beside the default one: a JSON object of them by name. */
export const EmbedderEntries = z
  .string()
  .transform((given, context) => {
    try {
      const parsed: unknown = JSON.parse(given);
      return parsed;
    } catch {
      context.addIssue({ code: 'custom', message: 'is not valid JSON' });
      return z.NEVER;
    }
  })
  .pipe(
    z.record(z.string(), Entry, 'must be a JSON object of embedders by name').superRefine((entries, context) => {
      const names = Object.keys(entries);
      const report = (message: string, path: string[] = []) => context.addIssue({ code: 'custom', path, message });
      if (names.length > MAX_EMBEDDERS) report(`names more than ${MAX_EMBEDDERS} embedders`);
      for (const name of names) {
        if (RESERVED_NAMES.has(name)) report('has a name with a meaning of its own: choose another one', [name]);
        else if (!NAME.test(name))
          report('must consist of at most 63 lower-case letters, digits, dots, dashes and underscores', [name]);
      }
    }),
  );

/** An embedding server, as the setting describes it. */
export type ServerEntry = z.infer<typeof ServerEntry>;
