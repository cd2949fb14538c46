import { readFileSync } from 'node:fs';
import type { PresetName, Prefixes } from '#providers/embedders/model-presets.ts';
import type { ServerEntry } from './embedder-entries.ts';
import type { Environment } from './environment.ts';

type ModelSettings = {
  /** As the setting calls it. */
  name: string;
  model: string;
  preset: PresetName | null;
  /** Instead of what the model itself says; null for the latter. */
  prefixes: Prefixes | null;
  dimensions: number | null;
};
/** One of the embedders beside the default one. */
export type NamedEmbedderSettings = ModelSettings &
  (
    | { provider: 'local'; folder: string | null; threads: number | null }
    | { provider: 'openai'; baseUrl: string; apiKey: string | null; maxTokens: number | null }
  );

/** Where the keys of embedding servers are looked up: the environment, and its settings, some of which are read from files. */
export type KeySources = { environment: NodeJS.ProcessEnv; values: Readonly<Record<string, string>> };

/** Returns the embedders beside the default one, and a problem for each key that is not where it should be. */
export function namedEmbedders(
  env: Environment,
  sources: KeySources,
): { named: NamedEmbedderSettings[]; problems: string[] } {
  const problems: string[] = [];
  const named = Object.entries(env.LOCI_EMBEDDERS).map(([name, entry]): NamedEmbedderSettings => {
    const { model, preset = null, dimensions = null, query_prefix: query, document_prefix: document } = entry;
    const prefixes =
      query === undefined && document === undefined ? null : { query: query ?? '', document: document ?? '' };
    const common = { name, model: model ?? preset ?? '', preset, prefixes, dimensions };
    if (entry.provider === 'local') {
      const { provider, folder = null, threads = env.LOCI_EMBEDDER_THREADS ?? null } = entry;
      return { ...common, provider, folder, threads };
    }
    const found = findKey(entry, sources);
    if ('problem' in found) problems.push(`LOCI_EMBEDDERS.${name}.${found.problem}`);
    const { provider, base_url: baseUrl, max_tokens: maxTokens = null } = entry;
    return { ...common, provider, baseUrl, maxTokens, apiKey: 'key' in found ? found.key : null };
  });
  return { named, problems };
}

function findKey(
  { api_key, api_key_env, api_key_file }: ServerEntry,
  { environment, values }: KeySources,
): { key: string | null } | { problem: string } {
  if (api_key_env !== undefined) {
    const key = values[api_key_env] ?? environment[api_key_env];
    return key ? { key } : { problem: `api_key_env names a variable that is not set: ${api_key_env}` };
  }
  if (api_key_file === undefined) return { key: api_key ?? null };
  try {
    const key = readFileSync(api_key_file, 'utf8').trim();
    return key === '' ? { problem: `api_key_file names a file that is empty: ${api_key_file}` } : { key };
  } catch {
    return { problem: `api_key_file names a file that cannot be read: ${api_key_file}` };
  }
}

/** Returns the problems of the settings of embedders that need one another. */
export function embedderProblems(env: Environment): string[] {
  const problems: string[] = [];
  if (env.LOCI_EMBEDDER === 'openai') {
    if (!env.LOCI_OPENAI_BASE_URL) problems.push('LOCI_OPENAI_BASE_URL is required when LOCI_EMBEDDER=openai');
    const isKnown = env.LOCI_EMBEDDER_PRESET !== undefined;
    if (!isKnown && !env.LOCI_EMBEDDER_MODEL)
      problems.push('LOCI_EMBEDDER_MODEL is required when LOCI_EMBEDDER=openai');
    if (!isKnown && !env.LOCI_OPENAI_DIMENSIONS)
      problems.push('LOCI_OPENAI_DIMENSIONS is required when LOCI_EMBEDDER=openai');
  }
  const isAnyLocal =
    env.LOCI_EMBEDDER === 'local' || Object.values(env.LOCI_EMBEDDERS).some(({ provider }) => provider === 'local');
  if (env.LOCI_EMBEDDER_URL && !isAnyLocal) {
    problems.push(
      'LOCI_EMBEDDER_URL is for local models, by LOCI_EMBEDDER=local or in LOCI_EMBEDDERS: other embedding servers are ' +
        'LOCI_OPENAI_BASE_URL, or a base_url in LOCI_EMBEDDERS',
    );
  }
  if (env.LOCI_EMBEDDER_URL && !env.LOCI_EMBEDDER_TOKEN) {
    problems.push('LOCI_EMBEDDER_TOKEN is required with LOCI_EMBEDDER_URL: the same as that of the worker there');
  }
  return problems;
}

/** The embedder of new collections, and those that collections may name. */
export function embedderSettings(env: Environment, named: readonly NamedEmbedderSettings[]) {
  return {
    provider: env.LOCI_EMBEDDER,
    model: env.LOCI_EMBEDDER_MODEL ?? env.LOCI_EMBEDDER_PRESET ?? 'all-MiniLM-L6-v2',
    /** Says how a known model is used. */
    preset: env.LOCI_EMBEDDER_PRESET ?? null,
    folder: env.LOCI_EMBEDDER_FOLDER ?? null,
    /** Why this embedder replaces the one that was requested; shown in `/readyz`. */
    note: env.LOCI_EMBEDDER_NOTE ?? null,
    threads: env.LOCI_EMBEDDER_THREADS ?? null,
    /** Local models of `named` that a process has in memory at once. */
    maxLoaded: env.LOCI_EMBEDDER_MAX_LOADED,
    /** A worker that embeds for the API; null: the API loads the model itself. */
    remote:
      env.LOCI_EMBEDDER_URL && env.LOCI_EMBEDDER_TOKEN
        ? { url: env.LOCI_EMBEDDER_URL, token: env.LOCI_EMBEDDER_TOKEN }
        : null,
    /** Workers embed for whoever knows it; null: for nobody. */
    token: env.LOCI_EMBEDDER_TOKEN ?? null,
    openai: {
      baseUrl: env.LOCI_OPENAI_BASE_URL ?? null,
      apiKey: env.LOCI_OPENAI_API_KEY ?? null,
      dimensions: env.LOCI_OPENAI_DIMENSIONS ?? null,
      maxTokens: env.LOCI_OPENAI_MAX_TOKENS ?? null,
    },
    /** Embedders beside this one, which is called `default`. */
    named,
  };
}
