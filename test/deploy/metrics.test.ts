/** The Grafana dashboard and the alert rules of `deploy/` name metrics and labels that exist. */
import { parser } from '@prometheus-io/lezer-promql';
import test from 'ava';
import { parse } from 'yaml';
import { z } from 'zod';
import { createMetrics } from '#observability/metrics.ts';
import { readDocument, section, tableRows } from '#test/docs/markdown.ts';

const Dashboard = z.object({
  panels: z.array(
    z.object({
      title: z.string(),
      type: z.string(),
      description: z.string().optional(),
      gridPos: z.object({ x: z.int(), y: z.int(), w: z.int(), h: z.int() }),
      targets: z.array(z.object({ expr: z.string() })).default([]),
    }),
  ),
});
const Alerts = z.object({
  groups: z.array(
    z.strictObject({
      name: z.string(),
      rules: z.array(
        z.strictObject({
          alert: z.string(),
          expr: z.string(),
          for: z.string().optional(),
          labels: z.strictObject({ severity: z.enum(['critical', 'warning']) }),
          annotations: z.strictObject({ summary: z.string(), description: z.string() }),
        }),
      ),
    }),
  ),
});

const { panels } = Dashboard.parse(JSON.parse(readDocument('deploy/grafana/loci.json')));
const rules = Alerts.parse(parse(readDocument('deploy/prometheus/alerts.yaml'))).groups.flatMap((group) => group.rules);

/** Labels that Prometheus adds. */
const SCRAPED = ['job', 'instance'];
/** Metrics of Temporal's SDK; `test/stack/temporal-metrics.test.ts` receives them. */
const OF_TEMPORAL = ['temporal_worker_task_slots_available'];

/** The labels of every metric: those of Loci as the runbook lists them, those of Node as they are published. */
async function knownSeries(): Promise<Map<string, ReadonlySet<string>>> {
  const known = new Map<string, Set<string>>([
    ['up', new Set(SCRAPED)],
    ...OF_TEMPORAL.map((name) => [name, new Set(SCRAPED)] as const),
  ]);
  const text = await createMetrics().render();
  const documented = new Map(
    tableRows(section(readDocument('docs/operations.md'), '## Health and metrics')).map(
      ([name = '', , labels = '']) => [name, [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label)] as const,
    ),
  );
  for (const [, name = '', type] of text.matchAll(/^# TYPE (\w+) (\w+)/gm)) {
    const labels = [...SCRAPED, ...(documented.get(`\`${name}\``) ?? [])];
    if (type !== 'histogram') known.set(name, new Set(labels));
    else {
      for (const ending of ['_count', '_sum', '_bucket']) known.set(name + ending, new Set([...labels, 'le']));
    }
  }
  return known;
}

/** Prometheus parses an expression after Grafana has replaced its variables. */
function parsed(expression: string) {
  const text = expression.replaceAll('$__rate_interval', '5m').replaceAll('$job', '.*');
  const nodes: { type: string; text: string }[] = [];
  parser.parse(text).iterate({
    enter: ({ type, from, to }) => {
      nodes.push({ type: type.isError ? 'error' : type.name, text: text.slice(from, to) });
    },
  });
  return nodes;
}

const expressions = [
  ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr }))),
  ...rules.map(({ alert, expr }) => ({ title: alert, expr })),
];

test('every metric and label of the dashboard and the alerts exists', async (t) => {
  const known = await knownSeries();
  t.true(expressions.length > 25);
  for (const { title, expr } of expressions) {
    const nodes = parsed(expr);
    t.false(
      nodes.some(({ type }) => type === 'error'),
      `${title} is no PromQL: ${expr}`,
    );
    const metrics = nodes.filter(({ type }) => type === 'Identifier').map(({ text }) => text);
    t.true(metrics.length > 0, title);
    for (const metric of metrics) t.true(known.has(metric), `${title}: there is no metric ${metric}`);
    for (const { text } of nodes.filter(({ type }) => type === 'LabelName')) {
      t.true(
        metrics.every((metric) => known.get(metric)?.has(text)),
        `${title}: ${metrics.join(', ')} without the label ${text}`,
      );
    }
  }
});

test('a new process has every series whose increase is an alert, so that the first event is one as well', async (t) => {
  const text = await createMetrics().render();
  const compared = rules.flatMap(({ alert, expr }) =>
    [...expr.matchAll(/increase\((\w+)\{(\w+)=~?"([^"]+)"\}/g)].flatMap(([, metric = '', label = '', values = '']) =>
      values.split('|').map((value) => ({ alert, metric, pair: `${label}="${value}"` })),
    ),
  );
  t.true(compared.length >= 4);
  for (const { alert, metric, pair } of compared) {
    t.regex(text, new RegExp(`^${metric}\\{[^}]*${pair}[^}]*\\} 0$`, 'm'), `${alert}: ${metric} with ${pair}`);
  }
});

test('the dashboard shows every metric of the runbook, on panels that do not overlap', async (t) => {
  const shown = new Set(
    panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => parsed(expr))).map(({ text }) => text),
  );
  for (const name of (await knownSeries()).keys()) {
    const metric = name.replace(/_(count|sum|bucket)$/, '');
    if (metric.startsWith('loci_'))
      t.true(
        [...shown].some((text) => text.startsWith(metric)),
        `a panel for ${metric}`,
      );
  }
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
  );
  t.is(new Set(cells).size, cells.length);
  for (const { type, title, description } of panels) t.true(type === 'row' || description !== undefined, title);
});

test('the runbook names the files, and every alert once', (t) => {
  const runbook = readDocument('docs/operations.md');
  for (const path of ['deploy/grafana/loci.json', 'deploy/prometheus/alerts.yaml'])
    t.true(runbook.includes(path), path);
  t.is(new Set(rules.map(({ alert }) => alert)).size, rules.length);
  for (const { alert } of rules) t.true(runbook.includes(`\`${alert}\``), alert);
});
