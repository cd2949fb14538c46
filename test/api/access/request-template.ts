import { z } from 'zod';
import { fullPath } from '#api/http/mount.ts';
import type { Route } from '#api/http/route.ts';
import type { Sent } from '#test/support/harness/api-client.ts';
import type { Kind } from './matrix-world.ts';
import type { Ref, RouteFixture } from './route-fixtures.ts';

/** A place in a request that takes an id, and the kind of resource it identifies. */
export type Place = { name: string; kind: Kind };

const PARTS = ['path', 'query', 'json', 'form'] as const;

/** Every place of a fixture that takes an id, such as `path.content_id` or `json.collections.0`. */
export function placesOf(fixture: RouteFixture): Place[] {
  return PARTS.flatMap((part) => walk(fixture[part], part));
}

/** The request of a fixture, with an id at each of its places. */
export function requestOf(
  route: Route,
  fixture: RouteFixture,
  idAt: (place: Place) => string,
): { path: string; sent: Sent } {
  const fill = (part: (typeof PARTS)[number]) => filled(fixture[part], part, idAt);
  const Texts = z.record(z.string(), z.string()).default({});
  const inPath = Texts.parse(fill('path'));
  const path = fullPath(route).replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(inPath[name] ?? `{${name}}`),
  );
  const query = new URLSearchParams(Texts.parse(fill('query'))).toString();
  const sent: Sent = { method: route.method.toUpperCase() };
  if (fixture.json !== undefined) sent.json = fill('json');
  if (fixture.form !== undefined) {
    const form = new FormData();
    for (const [name, value] of Object.entries(Texts.parse(fill('form')))) form.append(name, value);
    sent.body = form;
  }
  return { path: query === '' ? path : `${path}?${query}`, sent };
}

/** The places at which the schemas of a route take an id, with `*` for the elements of an array. */
export function idFieldsOf(route: Route): string[] {
  const schemas = { path: route.params, query: route.query, json: route.body, form: route.form?.schema };
  return PARTS.flatMap((part) => {
    const schema = schemas[part];
    if (schema === undefined) return [];
    const whole = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
    return uuidsIn(whole, { name: part, definitions: whole.$defs ?? {}, within: [] });
  });
}

function isRef(value: unknown): value is Ref {
  return typeof value === 'object' && value !== null && 'ref' in value && Object.keys(value).length === 1;
}

function walk(value: unknown, name: string): Place[] {
  if (isRef(value)) return [{ name, kind: value.ref }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => walk(inner, `${name}.${key}`));
}

function filled(value: unknown, name: string, idAt: (place: Place) => string): unknown {
  if (isRef(value)) return idAt({ name, kind: value.ref });
  if (Array.isArray(value)) return value.map((inner, index) => filled(inner, `${name}.${index}`, idAt));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, filled(inner, `${name}.${key}`, idAt)]));
}

type Search = { name: string; definitions: Readonly<Record<string, unknown>>; within: readonly string[] };

function uuidsIn(schema: unknown, search: Search): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  if ('format' in schema && schema.format === 'uuid') return [search.name];
  const at = (name: string) => ({ ...search, name: `${search.name}.${name}` });
  return Object.entries(schema).flatMap(([keyword, inner]): string[] => {
    if (keyword === '$ref' && typeof inner === 'string' && !search.within.includes(inner)) {
      const definition = search.definitions[inner.replace('#/$defs/', '')];
      return uuidsIn(definition, { ...search, within: [...search.within, inner] });
    }
    if (keyword === 'properties' && typeof inner === 'object' && inner !== null) {
      return Object.entries(inner).flatMap(([key, property]) => uuidsIn(property, at(key)));
    }
    if (keyword === 'items') return uuidsIn(inner, at('*'));
    return Array.isArray(inner) && /^(anyOf|oneOf|allOf)$/.test(keyword)
      ? inner.flatMap((one) => uuidsIn(one, search))
      : [];
  });
}
