import { AppError } from '#domain/app-error.ts';

/** An element; the name includes its prefix. */
export type XmlElement = {
  name: string;
  attributes: Record<string, string>;
  children: XmlNode[];
};
export type XmlNode = XmlElement | string;

const MAX_DEPTH = 400;
const MAX_NODES = 5_000_000;

/**
 * Parses a whole XML document. Entities other than those of XML itself are errors, so no entity can expand; DTDs and
 * external entities are never read. `dropsPrefixes` removes the prefixes of element names, for formats that use the
 * same names with and without one.
 * @throws AppError `unreadable` when the XML is not well-formed, or nested too deeply.
 */
export async function parseXml(text: string, { dropsPrefixes = false } = {}): Promise<XmlElement> {
  const root: XmlElement = { name: '', attributes: {}, children: [] };
  const open: XmlElement[] = [root];
  let nodes = 0;
  const add = (node: XmlNode): void => {
    nodes += 1;
    if (nodes > MAX_NODES) throw unreadableXml('it has too many elements');
    open.at(-1)?.children.push(node);
  };
  await parseEvents(text, {
    open(element) {
      if (dropsPrefixes) element.name = localName(element);
      add(element);
      open.push(element);
    },
    close: () => open.pop(),
    text: add,
  });
  const element = root.children.find(isElement);
  if (!element) throw unreadableXml('it has no element');
  return element;
}

/**
 * Passes each element of these names to `use` at its end and keeps none of them, so that a table of a million rows is
 * never in memory as a tree. Names are without prefix, also those of the elements inside.
 */
export async function forEachElement(
  text: string,
  names: ReadonlySet<string>,
  use: (element: XmlElement) => void,
): Promise<void> {
  const open: XmlElement[] = [];
  await parseEvents(text, {
    open(element) {
      element.name = localName(element);
      const parent = open.at(-1);
      parent?.children.push(element);
      if (parent !== undefined || names.has(element.name)) open.push(element);
    },
    close() {
      const element = open.pop();
      if (element !== undefined && open.length === 0) use(element);
    },
    text: (part) => open.at(-1)?.children.push(part),
  });
}

type XmlEvents = {
  open: (element: XmlElement) => void;
  close: () => void;
  text: (text: string) => void;
};

async function parseEvents(text: string, { open, close, text: addText }: XmlEvents): Promise<void> {
  const { SaxesParser } = await import('saxes');
  const parser = new SaxesParser<{ position: false; xmlns: false }>({ position: false, xmlns: false });
  let depth = 0;
  parser.on('error', (error) => {
    throw unreadableXml('it is not well-formed XML', error);
  });
  parser.on('opentag', ({ name, attributes }) => {
    depth += 1;
    if (depth > MAX_DEPTH) throw unreadableXml(`it is nested more than ${MAX_DEPTH} levels deep`);
    open({ name, attributes, children: [] });
  });
  parser.on('closetag', () => {
    depth -= 1;
    close();
  });
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.write(text.replace(/^\uFEFF/, '')).close();
}

function localName({ name }: XmlElement): string {
  return name.slice(name.indexOf(':') + 1);
}

function unreadableXml(reason: string, cause?: unknown): AppError {
  return new AppError(
    'unreadable',
    `A part of the document cannot be read: ${reason}. Save the document again in the program that created it, and upload it.`,
    {
      cause,
    },
  );
}

export function isElement(node: XmlNode): node is XmlElement {
  return typeof node !== 'string';
}

/** The child elements, filtered by name if names are given. */
export function childrenOf(element: XmlElement | undefined, ...names: string[]): XmlElement[] {
  return (element?.children ?? []).filter(isElement).filter(({ name }) => names.length === 0 || names.includes(name));
}

export function childOf(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element?.children.filter(isElement).find((child) => child.name === name);
}

/** The descendants of this name in document order; does not search inside the elements it finds. */
export function descendantsOf(element: XmlElement | undefined, name: string): XmlElement[] {
  const found: XmlElement[] = [];
  const visit = (parent: XmlElement): void => {
    for (const child of parent.children) {
      if (!isElement(child)) continue;
      if (child.name === name) found.push(child);
      else visit(child);
    }
  };
  if (element) visit(element);
  return found;
}

/** All text inside the node. */
export function textOf(node: XmlNode | undefined): string {
  if (node === undefined) return '';
  return isElement(node) ? node.children.map(textOf).join('') : node;
}

export function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** The node as XML text. */
export function serializeXml(node: XmlNode): string {
  if (!isElement(node)) return escapeXml(node);
  const attributes = Object.entries(node.attributes).map(([name, value]) => ` ${name}="${escapeXml(value)}"`);
  const content = node.children.map(serializeXml).join('');
  return content === ''
    ? `<${node.name}${attributes.join('')}/>`
    : `<${node.name}${attributes.join('')}>${content}</${node.name}>`;
}
