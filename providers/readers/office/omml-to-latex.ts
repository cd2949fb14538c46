import { childOf, childrenOf, isElement, textOf, type XmlElement } from '#providers/readers/shared/xml.ts';

const SYMBOLS: ReadonlyMap<string, string> = new Map(
  (
    'α=alpha β=beta γ=gamma δ=delta ε=epsilon ζ=zeta η=eta θ=theta ι=iota κ=kappa λ=lambda μ=mu ν=nu ξ=xi π=pi ' +
    'ρ=rho σ=sigma τ=tau υ=upsilon φ=phi χ=chi ψ=psi ω=omega Γ=Gamma Δ=Delta Θ=Theta Λ=Lambda Ξ=Xi Π=Pi ' +
    'Σ=Sigma Φ=Phi Ψ=Psi Ω=Omega ±=pm ∓=mp ×=times ÷=div ·=cdot ∗=ast ≤=leq ≥=geq ≠=neq ≈=approx ≡=equiv ' +
    '∝=propto ∞=infty ∂=partial ∇=nabla ∑=sum ∏=prod ∫=int ∬=iint ∮=oint √=sqrt ∈=in ∉=notin ⊂=subset ' +
    '⊆=subseteq ∪=cup ∩=cap ∅=emptyset ∀=forall ∃=exists ¬=neg ∧=wedge ∨=vee →=rightarrow ←=leftarrow ' +
    '⇒=Rightarrow ⇔=Leftrightarrow ↔=leftrightarrow …=ldots ⋯=cdots'
  )
    .split(' ')
    .map((pair): [string, string] => [pair.charAt(0), pair.slice(2)]),
);
const ACCENTS: ReadonlyMap<string, string> = new Map([
  ['\u0302', 'hat'],
  ['\u0303', 'tilde'],
  ['\u0304', 'bar'],
  ['\u0305', 'overline'],
  ['\u0307', 'dot'],
  ['\u0308', 'ddot'],
  ['\u20d7', 'vec'],
]);
const FUNCTIONS = /^(?:sin|cos|tan|cot|sinh|cosh|tanh|log|ln|exp|lim|max|min|det|gcd|arg)$/;

/** Converts an Office Math element (ECMA-376, part 1, 22.1) to LaTeX. Returns the text of an unknown element. */
export function ommlToLatex(element: XmlElement): string {
  const convert = CONVERTERS.get(element.name) ?? contentLatex;
  return convert(element);
}

/** How elements become LaTeX, by name. */
const CONVERTERS: ReadonlyMap<string, (element: XmlElement) => string> = new Map([
  ['m:f', fraction],
  ['m:sSup', (element) => `${scriptBase(element)}^${braced(element, 'm:sup')}`],
  ['m:sSub', (element) => `${scriptBase(element)}_${braced(element, 'm:sub')}`],
  ['m:sSubSup', (element) => `${scriptBase(element)}_${braced(element, 'm:sub')}^${braced(element, 'm:sup')}`],
  ['m:sPre', (element) => `{}_${braced(element, 'm:sub')}^${braced(element, 'm:sup')}${partLatex(element, 'm:e')}`],
  ['m:rad', radical],
  ['m:nary', naryOperator],
  ['m:d', delimiters],
  ['m:func', (element) => `${partLatex(element, 'm:fName')} ${braced(element, 'm:e')}`],
  [
    'm:acc',
    (element) => `\\${ACCENTS.get(propertyOf(element, 'm:chr') ?? '\u0302') ?? 'hat'}${braced(element, 'm:e')}`,
  ],
  [
    'm:bar',
    (element) => `\\${propertyOf(element, 'm:pos') === 'bot' ? 'underline' : 'overline'}${braced(element, 'm:e')}`,
  ],
  ['m:limLow', (element) => `${partLatex(element, 'm:e')}_${braced(element, 'm:lim')}`],
  ['m:limUpp', (element) => `${partLatex(element, 'm:e')}^${braced(element, 'm:lim')}`],
  ['m:m', (element) => `\\begin{matrix}${childrenOf(element, 'm:mr').map(matrixRow).join(' \\\\ ')}\\end{matrix}`],
  ['m:eqArr', (element) => childrenOf(element, 'm:e').map(contentLatex).join(' \\\\ ')],
  ['m:r', runText],
]);

function partLatex(element: XmlElement, name: string): string {
  return contentLatex(childOf(element, name));
}

function braced(element: XmlElement, name: string): string {
  return `{${partLatex(element, name)}}`;
}

function fraction(element: XmlElement): string {
  return propertyOf(element, 'm:type') === 'lin'
    ? `${partLatex(element, 'm:num')}/${partLatex(element, 'm:den')}`
    : `\\frac${braced(element, 'm:num')}${braced(element, 'm:den')}`;
}

function radical(element: XmlElement): string {
  const degree = partLatex(element, 'm:deg');
  return `\\sqrt${degree === '' ? '' : `[${degree}]`}${braced(element, 'm:e')}`;
}

/** The children of an element, one after the other, without its properties. */
function contentLatex(element: XmlElement | undefined): string {
  const parts = (element?.children ?? []).filter(isElement).filter(({ name }) => !name.endsWith('Pr'));
  return parts.map(ommlToLatex).join('').trim();
}

/** The base of a sub- or superscript; a fraction or a superscript in it is enclosed in braces. */
function scriptBase(element: XmlElement): string {
  const inner = childOf(element, 'm:e');
  const text = contentLatex(inner);
  return childrenOf(inner).some(({ name }) => name === 'm:f' || name === 'm:sSup') ? `{${text}}` : text;
}

function naryOperator(element: XmlElement): string {
  const symbol = propertyOf(element, 'm:chr') ?? '∫';
  const [sub, sup] = [contentLatex(childOf(element, 'm:sub')), contentLatex(childOf(element, 'm:sup'))];
  const bounds = `${sub === '' ? '' : `_{${sub}}`}${sup === '' ? '' : `^{${sup}}`}`;
  return `${escapeMath(symbol).trim()}${bounds}{${contentLatex(childOf(element, 'm:e'))}}`;
}

function delimiters(element: XmlElement): string {
  const separator = propertyOf(element, 'm:sepChr') ?? '|';
  const inner = childrenOf(element, 'm:e').map(contentLatex).join(separator);
  return `${propertyOf(element, 'm:begChr') ?? '('}${inner}${propertyOf(element, 'm:endChr') ?? ')'}`;
}

function matrixRow(row: XmlElement): string {
  return childrenOf(row, 'm:e').map(contentLatex).join(' & ');
}

function runText(run: XmlElement): string {
  const text = childrenOf(run, 'm:t').map(textOf).join('');
  return FUNCTIONS.test(text.trim()) ? `\\${text.trim()}` : escapeMath(text);
}

function escapeMath(text: string): string {
  return Array.from(text.normalize('NFKC'))
    .map((character) => {
      const name = SYMBOLS.get(character);
      return name === undefined ? character : `\\${name} `;
    })
    .join('');
}

function propertyOf(element: XmlElement, name: string): string | undefined {
  const properties = element.children.filter(isElement).find((child) => child.name === `${element.name}Pr`);
  return childOf(properties, name)?.attributes['m:val'];
}
