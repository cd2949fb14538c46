import { AppError } from '../../domain/app-error.ts';

/** An element, its name with prefix as written. */
export type XmlElement = {
  name: string;
  attributes: Record<string, string>;
  children: XmlNode[];
};
export type XmlNode = XmlElement | string;

const MAX_DEPTH = 400;
const MAX_NODES = 5_000_000;

/**
 * Parses XML whole. Entities other than XML's own are errors, so none can grow; no DTD and nothing external is ever read.
 * @throws AppError `unreadable` for what is not well-formed, or nested too deeply.
 */
export async function parseXml(text: string): Promise<XmlElement> {
  const { SaxesParser } = await import('saxes');
  const parser = new SaxesParser<{ position: false; xmlns: false }>({ position: false, xmlns: false });
  const root: XmlElement = { name: '', attributes: {}, children: [] };
  const open: XmlElement[] = [root];
  let nodes = 0;
  const add = (node: XmlNode): void => {
    nodes += 1;
    if (nodes > MAX_NODES) throw unreadableXml('it holds too many elements');
    open.at(-1)?.children.push(node);
  };
  parser.on('error', (error) => {
    throw unreadableXml('it is not well-formed XML', error);
  });
  parser.on('opentag', ({ name, attributes }) => {
    const element: XmlElement = { name, attributes, children: [] };
    add(element);
    open.push(element);
    if (open.length > MAX_DEPTH) throw unreadableXml(`it is nested more than ${MAX_DEPTH} levels deep`);
  });
  parser.on('closetag', () => open.pop());
  parser.on('text', add);
  parser.on('cdata', add);
  parser.write(text.replace(/^\uFEFF/, '')).close();
  const element = root.children.find(isElement);
  if (!element) throw unreadableXml('it holds no element');
  return element;
}

function unreadableXml(reason: string, cause?: unknown): AppError {
  return new AppError(
    'unreadable',
    `A part of the document cannot be read: ${reason}. Save it anew and upload it again.`,
    {
      cause,
    },
  );
}

export function isElement(node: XmlNode): node is XmlElement {
  return typeof node !== 'string';
}

/** Child elements, of these names if any are given. */
export function childrenOf(element: XmlElement | undefined, ...names: string[]): XmlElement[] {
  return (element?.children ?? []).filter(isElement).filter(({ name }) => names.length === 0 || names.includes(name));
}

export function childOf(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element?.children.filter(isElement).find((child) => child.name === name);
}

/** The elements of this name below, in document order; does not look inside those it finds. */
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

/** All text below. */
export function textOf(node: XmlNode | undefined): string {
  if (node === undefined) return '';
  return isElement(node) ? node.children.map(textOf).join('') : node;
}

export function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** The element as XML text. */
export function serializeXml(node: XmlNode): string {
  if (!isElement(node)) return escapeXml(node);
  const attributes = Object.entries(node.attributes).map(([name, value]) => ` ${name}="${escapeXml(value)}"`);
  const content = node.children.map(serializeXml).join('');
  return content === ''
    ? `<${node.name}${attributes.join('')}/>`
    : `<${node.name}${attributes.join('')}>${content}</${node.name}>`;
}
