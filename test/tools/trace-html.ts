import type { CollectedSpan } from '#test/support/harness/otlp-collector.ts';
import { escapeHtml } from './escape-html.ts';

/** A span, and how many others it is part of. */
export type TracedRow = Pick<CollectedSpan, 'service' | 'name' | 'startMs' | 'endMs'> & { depth: number };

const COLOURS: Readonly<Record<string, string>> = { 'loci-api': '#3b5bdb', 'loci-worker': '#2b8a3e' };
const OTHER_COLOUR = '#868e96';
const MAX_NAME = 64;
const TICKS = 5;

/** Draws a trace as a page: a row for each span, with a bar from its beginning to its end. */
export function traceHtml(rows: readonly TracedRow[]): string {
  const startMs = Math.min(...rows.map((row) => row.startMs));
  const totalMs = Math.max(...rows.map((row) => row.endMs)) - startMs;
  const percent = (ms: number) => ((100 * ms) / totalMs).toFixed(3);
  const drawn = rows.map(({ service, name, depth, ...row }) => {
    const style = `left:${percent(row.startMs - startMs)}%;width:max(2px,${percent(row.endMs - row.startMs)}%);background:${colourOf(service)}`;
    const title = `<span style="padding-left:${depth * 14}px">${escapeHtml(name.slice(0, MAX_NAME))}</span>`;
    const tookMs = `${(row.endMs - row.startMs).toFixed(1)} ms`;
    return `<tr><td class="name">${title}</td><td class="took">${tookMs}</td><td class="bars"><i style="${style}"></i></td></tr>`;
  });
  const ticks = Array.from({ length: TICKS }, (_, index) => {
    const at = (index * totalMs) / TICKS;
    return `<b style="left:${percent(at)}%">${at.toFixed(0)} ms</b>`;
  });
  const services = [...new Set(rows.map(({ service }) => service))];
  const legend = services.map((service) => `<s style="background:${colourOf(service)}"></s>${escapeHtml(service)}`);
  return `<!doctype html><meta charset="utf-8"><style>${STYLE}</style>
<p><strong>${rows.length} spans, ${totalMs.toFixed(0)} ms</strong> ${legend.join(' ')}</p>
<table><tr><th>span</th><th></th><th class="bars">${ticks.join('')}</th></tr>${drawn.join('')}</table>`;
}

const STYLE = `
body { margin: 20px; font: 13px/1.4 system-ui, sans-serif; color: #212529; background: #fff }
table { width: 100%; border-collapse: collapse; table-layout: fixed }
th { text-align: left; font-weight: 600 }
th:first-child, .name { width: 40% } .name { font: 12px/1.5 monospace; white-space: pre; overflow: hidden }
th:nth-child(2), .took { width: 72px } .took { text-align: right; padding-right: 12px; font-variant-numeric: tabular-nums }
tr:nth-child(even) { background: #f8f9fa }
.bars { position: relative; height: 18px } .bars i { position: absolute; top: 4px; height: 10px; border-radius: 2px }
.bars b { position: absolute; top: 0; font-weight: 400; color: #495057 }
s { display: inline-block; width: 12px; height: 12px; border-radius: 2px; margin: 0 6px 0 16px; vertical-align: -1px }`;

function colourOf(service: string): string {
  return COLOURS[service] ?? OTHER_COLOUR;
}
