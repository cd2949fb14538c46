import type { Tracing, TracingOptions } from './tracing.ts';

const EXPORTER_SETTINGS = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_TRACES_EXPORTER',
] as const;

/**
 * Starts tracing if one of the standard variables of OpenTelemetry says where traces go; otherwise nothing of its SDK is loaded
 * and the result is null. For main files, before anything else is built: it also prepares the modules that are traced.
 */
export async function openTracing(environment: NodeJS.ProcessEnv, options: TracingOptions): Promise<Tracing | null> {
  if (!isConfigured(environment)) return null;
  const { startTracing } = await import('./opentelemetry/start-tracing.ts');
  return startTracing(environment, options);
}

function isConfigured(environment: NodeJS.ProcessEnv): boolean {
  const isSet = EXPORTER_SETTINGS.some((name) => (environment[name] ?? '').trim() !== '');
  const isOff = environment['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true';
  return isSet && !isOff && environment['OTEL_TRACES_EXPORTER']?.trim() !== 'none';
}
