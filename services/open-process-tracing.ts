import type { Config } from '#config/index.ts';
import { openTracing } from '#observability/open-tracing.ts';
import type { Tracing } from '#observability/tracing.ts';
import packageJson from '../package.json' with { type: 'json' };

/**
 * Starts the tracing of a process with the variables of OpenTelemetry, before anything else is built; null without them. What is
 * left is sent when everything else is closed.
 */
export async function openProcessTracing(
  config: Config,
  service: string,
  closing: AsyncDisposableStack,
): Promise<Tracing | null> {
  const { weaviate, embedder, chat, unstructured } = config;
  const others = embedder.named.map((one) => (one.provider === 'openai' ? one.baseUrl : null));
  const internalUrls = [weaviate.url, embedder.openai.baseUrl, ...others, chat.baseUrl, unstructured.url];
  const tracing = await openTracing(process.env, { service, version: packageJson.version, internalUrls });
  closing.defer(() => tracing?.close());
  return tracing;
}
