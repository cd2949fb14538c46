import { isDictionary, isReference, readFileObjects } from './file-objects.ts';
import type { PdfValue } from './pdf-value.ts';

/**
 * The names of the layers that are off when a document is opened (ISO 32000-1, 8.11.4), as their bytes, without names that a layer
 * has which is on. Layers of an encrypted document are taken to be on, for its strings are encrypted too.
 */
export function readHiddenLayers(file: Buffer): ReadonlySet<string> {
  const objects = readFileObjects(file, '/OCProperties');
  if (!objects) return new Set();
  const { catalog, resolve } = objects;
  const entry = (of: PdfValue, key: string): PdfValue => (isDictionary(of) ? resolve(of.get(key)) : null);
  const layersIn = (of: PdfValue, key: string): number[] => {
    const values = entry(of, key);
    return Array.isArray(values) ? values.filter(isReference).map(({ reference }) => reference) : [];
  };
  const properties = entry(catalog, '/OCProperties');
  const state = entry(properties, '/D');
  const layers = layersIn(properties, '/OCGs');
  const off = new Set(entry(state, '/BaseState') === '/OFF' ? layers : []);
  for (const layer of layersIn(state, '/ON')) off.delete(layer);
  for (const layer of layersIn(state, '/OFF')) off.add(layer);
  const nameOf = (layer: number): string[] => {
    const name = entry(resolve({ reference: layer }), '/Name');
    return typeof name === 'string' ? [name] : [];
  };
  const hidden = new Set([...off].flatMap(nameOf));
  if (hidden.size > 0)
    for (const layer of layers) if (!off.has(layer)) for (const name of nameOf(layer)) hidden.delete(name);
  return hidden;
}
