import type { parseHTML as ParseHtml } from 'linkedom';
import { mathmlToLatex } from './mathml-to-latex.ts';
import type { XmlElement } from './xml.ts';

type Root = ReturnType<typeof ParseHtml>['document']['documentElement'];
type Node = Pick<Root, 'nodeType' | 'nodeName' | 'textContent'> & { childNodes: Iterable<Node> };

/** What programs put around a formula, with pictures of it or the same once more for the eye. */
const FORMULA = '.mwe-math-element,.katex,mjx-container';
const TEX = 'annotation[encoding="application/x-tex"]';
const DISPLAY_STYLE = /^\{\\displaystyle\s([^]*)\}$/;
/** Signs that are not shown: function application, multiplication, separation, addition. */
const INVISIBLE = /[\u2061-\u2064]/g;
const ELEMENT_NODE = 1;

/** Replaces the formulas of a page by LaTeX between dollar signs: what they were made from, else made from their MathML. */
export function replaceMath(root: Root): void {
  const formulas = [...root.querySelectorAll('math,m\\:math')].map((math) => ({ math, around: math.closest(FORMULA) }));
  const counts = new Map<unknown, number>();
  for (const { around } of formulas) counts.set(around, (counts.get(around) ?? 0) + 1);
  for (const { math, around } of formulas) {
    const text = latexOf(math).replace(INVISIBLE, '').replace(/\s+/g, ' ').trim();
    // An element around several formulas is a part of the page.
    (around !== null && counts.get(around) === 1 ? around : math).replaceWith(text);
  }
}

function latexOf(math: Root): string {
  const source = math.querySelector(TEX)?.textContent?.trim() ?? '';
  const latex = source === '' ? mathmlToLatex(toXml(math)) : source.replace(DISPLAY_STYLE, '$1');
  // Text that is in no element of MathML.
  return latex.trim() === '' ? (math.textContent ?? '') : `$${latex.trim()}$`;
}

function toXml(node: Node): XmlElement {
  const children = Array.from(node.childNodes, (child) =>
    child.nodeType === ELEMENT_NODE ? toXml(child) : (child.textContent ?? ''),
  );
  return { name: node.nodeName.toLowerCase().replace(/^.*:/, ''), attributes: {}, children };
}
