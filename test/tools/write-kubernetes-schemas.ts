/**
 * `node test/tools/write-kubernetes-schemas.ts FOLDER`: takes the schemas of the kinds that the Helm chart uses from an unpacked
 * wheel of the Python package kubernetes-validate (22 MB, made from Kubernetes' own OpenAPI document), without descriptions.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const VERSION = '1.37.0';
const KINDS = [
  'Deployment apps/v1',
  'Job batch/v1',
  'Service v1',
  'ServiceAccount v1',
  'PersistentVolumeClaim v1',
  'HorizontalPodAutoscaler autoscaling/v2',
  'PodDisruptionBudget policy/v1',
  'Ingress networking.k8s.io/v1',
];
const TO = 'test/support/fixtures/kubernetes-schemas.json';
const Definitions = z.looseObject({ $defs: z.record(z.string(), z.unknown()) });

const folder = join(process.argv[2] ?? '.', `kubernetes_validate/kubernetes-json-schema/v${VERSION}-local-strict`);
const { $defs: all } = Definitions.parse(JSON.parse(await readFile(join(folder, '_definitions.json'), 'utf8')));
const names = Object.fromEntries(KINDS.map((kind) => [kind, definitionOf(kind)]));
const kept = new Map<string, unknown>();
for (const name of Object.values(names)) keep(name);
const $defs = Object.fromEntries([...kept].toSorted(([one], [other]) => one.localeCompare(other)));
await writeFile(TO, `${JSON.stringify({ version: VERSION, kinds: names, $defs })}\n`);
console.log(`${kept.size} definitions in ${TO}`);

/** `Deployment apps/v1` is `io.k8s.api.apps.v1.Deployment`. */
function definitionOf(kind: string): string {
  const [name = '', version = ''] = kind.split(' ');
  const ending = `${version.includes('/') ? version.replace('.k8s.io', '').replace('/', '.') : `core.${version}`}.${name}`;
  return `io.k8s.api.${ending}`;
}

function keep(name: string): void {
  if (kept.has(name)) return;
  const schema = all[name];
  if (schema === undefined) throw new Error(`there is no definition ${name}`);
  kept.set(name, null);
  kept.set(name, withoutDescriptions(schema));
}

function withoutDescriptions(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutDescriptions);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
      if ((key === 'description' && typeof value === 'string') || key.startsWith('x-kubernetes')) return [];
      if (key !== '$ref' || typeof value !== 'string') return [[key, withoutDescriptions(value)]];
      const name = value.slice(value.lastIndexOf('/') + 1);
      keep(name);
      return [[key, `#/$defs/${name}`]];
    }),
  );
}
