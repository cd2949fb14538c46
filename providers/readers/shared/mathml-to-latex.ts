import { childrenOf, textOf, type XmlElement } from './xml.ts';

const SYMBOLS: ReadonlyMap<string, string> = new Map(
  (
    'α=alpha β=beta γ=gamma δ=delta ε=epsilon η=eta θ=theta λ=lambda μ=mu π=pi ρ=rho σ=sigma τ=tau φ=phi χ=chi ψ=psi ω=omega ' +
    'Γ=Gamma Δ=Delta Θ=Theta Λ=Lambda Π=Pi Σ=Sigma Φ=Phi Ψ=Psi Ω=Omega ±=pm ×=times ÷=div ⋅=cdot ·=cdot ≤=leq ≥=geq ≠=neq ≈=approx ' +
    '∞=infty ∂=partial ∇=nabla ∑=sum ∏=prod ∫=int ∈=in ∉=notin ⊂=subset ∪=cup ∩=cap ∅=emptyset ∀=forall ∃=exists →=rightarrow ' +
    '←=leftarrow ⇒=Rightarrow ⇔=Leftrightarrow …=ldots'
  )
    .split(' ')
    .map((pair): [string, string] => [pair.charAt(0), pair.slice(2)]),
);
const FUNCTIONS = /^(?:sin|cos|tan|cot|log|ln|exp|lim|max|min|det|gcd|arg)$/;

/** Converts presentation MathML to LaTeX; element names without prefix. The source that a program adds in its own notation is left out. */
export function mathmlToLatex(element: XmlElement): string {
  const parts = childrenOf(element);
  const part = (index: number): string => {
    const child = parts[index];
    return child ? mathmlToLatex(child) : '';
  };
  switch (element.name) {
    case 'annotation':
    case 'annotation-xml':
      return '';
    case 'mi':
    case 'mo':
    case 'mn':
    case 'mtext':
      return tokenLatex(element);
    case 'mfrac':
      return `\\frac{${part(0)}}{${part(1)}}`;
    case 'msqrt':
      return `\\sqrt{${parts.map(mathmlToLatex).join('')}}`;
    case 'mroot':
      return `\\sqrt[${part(1)}]{${part(0)}}`;
    case 'msup':
    case 'mover':
      return `${part(0)}^{${part(1)}}`;
    case 'msub':
    case 'munder':
      return `${part(0)}_{${part(1)}}`;
    case 'msubsup':
    case 'munderover':
      return `${part(0)}_{${part(1)}}^{${part(2)}}`;
    case 'mfenced':
      return `${element.attributes['open'] ?? '('}${parts.map(mathmlToLatex).join(', ')}${element.attributes['close'] ?? ')'}`;
    case 'mtable':
      return `\\begin{matrix}${parts.map(mathmlToLatex).join(' \\\\ ')}\\end{matrix}`;
    case 'mtr':
      return parts.map(mathmlToLatex).join(' & ');
    default:
      return parts.map(mathmlToLatex).join('');
  }
}

function tokenLatex(element: XmlElement): string {
  const text = textOf(element).replace(/\s+/g, ' ').trim();
  if (element.name === 'mi' && FUNCTIONS.test(text)) return `\\${text} `;
  return Array.from(text)
    .map((character) => {
      const name = SYMBOLS.get(character);
      return name === undefined ? character : `\\${name} `;
    })
    .join('');
}
