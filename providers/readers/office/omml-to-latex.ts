import { childOf, childrenOf, isElement, textOf, type XmlElement } from '#providers/readers/shared/xml-tree.ts';

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

/** An Office Math element (ECMA-376, part 1, 22.1) as LaTeX. What is not known gives its text. */
export function ommlToLatex(element: XmlElement): string {
  const part = (name: string): string => latexOf(childOf(element, name));
  const braced = (name: string): string => `{${part(name)}}`;
  const property = (name: string): string | undefined => propertyOf(element, name);
  switch (element.name) {
    case 'm:f':
      return property('m:type') === 'lin'
        ? `${part('m:num')}/${part('m:den')}`
        : `\\frac${braced('m:num')}${braced('m:den')}`;
    case 'm:sSup':
      return `${base(element)}^${braced('m:sup')}`;
    case 'm:sSub':
      return `${base(element)}_${braced('m:sub')}`;
    case 'm:sSubSup':
      return `${base(element)}_${braced('m:sub')}^${braced('m:sup')}`;
    case 'm:sPre':
      return `{}_${braced('m:sub')}^${braced('m:sup')}${part('m:e')}`;
    case 'm:rad':
      return part('m:deg') === '' ? `\\sqrt${braced('m:e')}` : `\\sqrt[${part('m:deg')}]${braced('m:e')}`;
    case 'm:nary':
      return nary(element);
    case 'm:d':
      return delimited(element);
    case 'm:func':
      return `${part('m:fName')} ${braced('m:e')}`;
    case 'm:acc':
      return `\\${ACCENTS.get(property('m:chr') ?? '\u0302') ?? 'hat'}${braced('m:e')}`;
    case 'm:bar':
      return `\\${property('m:pos') === 'bot' ? 'underline' : 'overline'}${braced('m:e')}`;
    case 'm:limLow':
      return `${part('m:e')}_${braced('m:lim')}`;
    case 'm:limUpp':
      return `${part('m:e')}^${braced('m:lim')}`;
    case 'm:m':
      return `\\begin{matrix}${childrenOf(element, 'm:mr').map(matrixRow).join(' \\\\ ')}\\end{matrix}`;
    case 'm:eqArr':
      return childrenOf(element, 'm:e').map(latexOf).join(' \\\\ ');
    case 'm:r':
      return runText(element);
    default:
      return latexOf(element);
  }
}

/** What the children say, one after the other. */
function latexOf(element: XmlElement | undefined): string {
  const parts = (element?.children ?? []).filter(isElement).filter(({ name }) => !name.endsWith('Pr'));
  return parts.map(ommlToLatex).join('').trim();
}

/** A fraction or a group is braced before it is raised. */
function base(element: XmlElement): string {
  const inner = childOf(element, 'm:e');
  const text = latexOf(inner);
  return childrenOf(inner).some(({ name }) => name === 'm:f' || name === 'm:sSup') ? `{${text}}` : text;
}

function nary(element: XmlElement): string {
  const symbol = propertyOf(element, 'm:chr') ?? '∫';
  const [sub, sup] = [latexOf(childOf(element, 'm:sub')), latexOf(childOf(element, 'm:sup'))];
  const bounds = `${sub === '' ? '' : `_{${sub}}`}${sup === '' ? '' : `^{${sup}}`}`;
  return `${escapeMath(symbol).trim()}${bounds}{${latexOf(childOf(element, 'm:e'))}}`;
}

function delimited(element: XmlElement): string {
  const separator = propertyOf(element, 'm:sepChr') ?? '|';
  const inner = childrenOf(element, 'm:e').map(latexOf).join(separator);
  return `${propertyOf(element, 'm:begChr') ?? '('}${inner}${propertyOf(element, 'm:endChr') ?? ')'}`;
}

function matrixRow(row: XmlElement): string {
  return childrenOf(row, 'm:e').map(latexOf).join(' & ');
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
