import type { parseHTML as ParseHtml } from 'linkedom';

type Root = ReturnType<typeof ParseHtml>['document']['documentElement'];
type PageNode = Root['childNodes'][number];

/** The calls by which React's scripts put a streamed part into its place: `$RC("B:0","S:0")`, `$RS("S:1","P:1")`. */
const PLACEMENT = /\$R([CRS])\("([\w:-]{1,200})","([\w:-]{1,200})"/g;
const COMMENT = 8;
const BOUNDARY_END = '/$';
/** `$`, `$?`, `$!`, `$~`: the beginning of content that may be replaced later. */
const BOUNDARY_START = /^\$[?!~]?$/;

/**
 * Puts the parts of a page where a browser shows them: those that a server streams after the page instead of the placeholder
 * (React), and the trees of declarative shadow DOM. Both are in elements that otherwise hold nothing visible.
 */
export function placeStreamedContent(root: Root): void {
  if (root.querySelector('template') === null) return;
  const hosts = new Set<unknown>();
  for (const template of root.querySelectorAll('template[shadowrootmode]')) unwrapShadowTree(template, hosts);
  const parts = new Map<string, string>();
  for (const script of root.querySelectorAll('script')) {
    for (const [, kind, first = '', second = ''] of script.textContent.matchAll(PLACEMENT))
      if (kind === 'S') parts.set(second, first);
      else parts.set(first, second);
  }
  if (parts.size === 0) return;
  const hidden = new Map([...root.querySelectorAll('[hidden][id]')].map((part) => [part.id, part]));
  for (const template of root.querySelectorAll('template[id]')) {
    const part = hidden.get(parts.get(template.id) ?? '');
    if (part === undefined || part.contains(template)) continue;
    if (template.id.includes('B:')) removeFallback(template);
    template.replaceWith(...part.childNodes);
    part.remove();
  }
}

/** Removes what is shown until the part arrives: everything up to the end of the boundary that begins before the template. */
function removeFallback(template: Root): void {
  let depth = 0;
  const fallback: PageNode[] = [];
  for (let node = template.nextSibling; node !== null; node = node.nextSibling) {
    if (node.nodeType === COMMENT) {
      const mark = node.textContent ?? '';
      if (mark === BOUNDARY_END && depth === 0) {
        for (const one of fallback) one.remove();
        return;
      }
      if (mark === BOUNDARY_END) depth -= 1;
      else if (BOUNDARY_START.test(mark)) depth += 1;
    }
    fallback.push(node);
  }
}

/** The tree takes the place of its template; what the element contains beside it goes into the slots. */
function unwrapShadowTree(template: Root, hosts: Set<unknown>): void {
  const host = template.parentNode;
  // Further trees of an element are not shown.
  if (host === null || hosts.has(host)) return;
  hosts.add(host);
  const assigned = Map.groupBy(
    [...host.childNodes].filter((node) => node !== template),
    (node: PageNode) => ('getAttribute' in node ? (node.getAttribute('slot') ?? '') : ''),
  );
  for (const slot of template.querySelectorAll('slot')) {
    const name = slot.getAttribute('name') ?? '';
    const nodes = assigned.get(name) ?? [];
    if (nodes.every((node) => (node.textContent ?? '').trim() === '')) continue;
    slot.replaceWith(...nodes);
    assigned.delete(name);
  }
  template.replaceWith(...template.childNodes);
}
