import { Histogram, type Registry } from 'prom-client';

export type ToolMetrics = {
  /** Records a call of a tool over the Model Context Protocol; `outcome` is `ok` or an error code. */
  observeTool(call: { tool: string; outcome: string }, durationMs: number): void;
};

const TOOL_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Creates the metrics of tools. */
export function toolMetrics(registry: Registry): ToolMetrics {
  const seconds = new Histogram({
    name: 'loci_mcp_tool_duration_seconds',
    help: 'Duration of a call of a tool over the Model Context Protocol, by outcome: ok, or the error code.',
    labelNames: ['tool', 'outcome'],
    buckets: TOOL_SECONDS,
    registers: [registry],
  });
  return { observeTool: (call, durationMs) => seconds.observe({ ...call }, durationMs / 1000) };
}
