import type { ChunkLimits, PlannedChunk } from './chunker.ts';
import type { ReadDocument } from '#domain/reader.ts';
import { MAX_COUNTED_WHITESPACE, MAX_CHARACTERS_PER_TOKEN, splitIntoAtoms, type Atom, type Section } from './atoms.ts';
import { packAtoms } from './pack-atoms.ts';

/** Shares of the limit that the context of a chunk may use: titles of the headings above, and the header row of its table. */
const TITLES_SHARE = 0.2;
const HEADER_SHARE = 0.25;
/** The largest atom still fits together with the largest context. */
const ATOM_SHARE = 0.5;
/** The sum of the atoms' counts is trusted up to this share of the limit; above it the whole chunk is counted. */
const TRUSTED_SHARE = 0.9;

type Counter = (text: string) => number;

/**
 * Splits a document by its structure: headings, paragraphs, lists, tables and code, then sentences, clauses and words. Offsets
 * refer to the original text, each non-whitespace character is in exactly one chunk, and `tokens` never exceeds
 * `limits.maxTokens` for any limit of 16 or more. Lazy, deterministic, linear in the length of the text.
 */
export function* planChunks(
  document: ReadDocument,
  limits: ChunkLimits,
  countTokens: Counter,
): Generator<PlannedChunk> {
  const context = contextOf(limits, countTokens);
  const plan: Plan = { document, limits, countTokens, context };
  const maxTokens = Math.max(1, Math.floor(limits.maxTokens * ATOM_SHARE));
  yield* packAtoms(splitIntoAtoms(document.text, { maxTokens, countTokens }), {
    targetTokens: Math.min(limits.targetTokens, limits.maxTokens),
    roomFor: (first) => limits.maxTokens - context(first, first.section).tokens,
    build: (atoms) => chunkOf(atoms, plan),
  });
}

type Plan = {
  document: ReadDocument;
  limits: ChunkLimits;
  countTokens: Counter;
  context: (first: Atom, shared: Section) => Context;
};

/** Builds a chunk of these atoms, or of fewer when the whole chunk counts more tokens than the sum of its atoms. */
function chunkOf(atoms: readonly Atom[], plan: Plan): { chunk: PlannedChunk; taken: number } {
  const { text, pages } = plan.document;
  for (let taken = withinLength(atoms, plan.limits.maxTokens); ; taken = Math.max(1, Math.floor(taken * 0.75))) {
    const used = atoms.slice(0, taken);
    const first = used[0];
    const last = used.at(-1);
    if (!first || !last) throw new RangeError('a chunk needs at least one atom');
    const shared = sharedSection(used);
    const context = plan.context(first, shared);
    const chunkText = text.slice(first.start, last.end);
    const tokens = tokensOf(used, { context, chunkText, plan });
    if (tokens > plan.limits.maxTokens && used.length > 1) continue;
    const chunk = {
      text: chunkText,
      start: first.start,
      end: last.end,
      tokens,
      headingPath: sectionsAbove(shared).map((section) => section.title),
      context: context.text,
      page: pageAt(pages, first.start),
    };
    return { chunk, taken };
  }
}

/** Returns how many of these atoms fit into one chunk by length. Only long whitespace between atoms makes a difference. */
function withinLength(atoms: readonly Atom[], maxTokens: number): number {
  const limit = (atoms[0]?.start ?? 0) + maxTokens * MAX_CHARACTERS_PER_TOKEN;
  const beyond = atoms.findIndex((atom) => atom.end > limit);
  return beyond === -1 ? atoms.length : Math.max(1, beyond);
}

/** Returns the sum of the atoms' counts if it can be trusted; otherwise counts the whole chunk as well. */
function tokensOf(atoms: readonly Atom[], chunk: { context: Context; chunkText: string; plan: Plan }): number {
  const { context, chunkText, plan } = chunk;
  let sum = context.tokens;
  let uncountedWhitespace = 0;
  for (const [index, atom] of atoms.entries()) {
    sum += atom.tokens;
    const gap = atom.start - (atoms[index - 1]?.end ?? atom.start);
    if (gap > MAX_COUNTED_WHITESPACE) uncountedWhitespace += gap;
  }
  if (sum <= plan.limits.maxTokens * TRUSTED_SHARE && uncountedWhitespace === 0) return sum;
  return Math.max(sum, plan.countTokens(context.text === '' ? chunkText : `${context.text}\n${chunkText}`));
}

/** Returns the innermost section that contains all of these atoms, ignoring headings without a body. */
function sharedSection(atoms: readonly Atom[]): Section {
  const body = atoms.find((atom) => !atom.isHeading) ?? atoms.at(-1);
  let shared: Section | null = body?.section ?? null;
  const last = new Set<Section>();
  for (let section: Section | null = atoms.at(-1)?.section ?? null; section; section = section.parent)
    last.add(section);
  while (shared?.parent && !last.has(shared)) shared = shared.parent;
  if (!shared) throw new RangeError('every atom has a section');
  return shared;
}

/** Returns the sections with a heading, from the outermost to this one. */
function sectionsAbove(section: Section): Section[] {
  const above: Section[] = [];
  for (let at: Section | null = section; at && at.level > 0; at = at.parent) above.unshift(at);
  return above;
}

type Context = { text: string; tokens: number };

/** Returns a function that builds contexts. Caches token counts, because neighbouring chunks mostly share their context. */
function contextOf(limits: ChunkLimits, countTokens: Counter): (first: Atom, shared: Section) => Context {
  const counts = new Map<string, number>();
  const count = (part: string): number => {
    let known = counts.get(part);
    if (known === undefined) {
      known = countTokens(part);
      if (counts.size > 1_000) counts.clear();
      counts.set(part, known);
    }
    return known;
  };
  return (first, shared) => {
    const missing = sectionsAbove(shared).filter((section) => section.start < first.start);
    const titles = fittingTitles(missing, limits.maxTokens * TITLES_SHARE, count);
    const parts = titles === '' ? [] : [titles];
    const { table } = first;
    if (table && table.start < first.start && count(table.header) <= limits.maxTokens * HEADER_SHARE)
      parts.push(table.header);
    const joined = parts.join('\n');
    // Plus one for the line break, which some tokenizers count.
    return { text: joined, tokens: joined === '' ? 0 : count(joined) + 1 };
  };
}

/** Joins the innermost titles that fit together, as `A > B > C`. */
function fittingTitles(sections: readonly Section[], maxTokens: number, count: (part: string) => number): string {
  let titles = '';
  for (const section of sections.toReversed()) {
    if (section.title === '') continue;
    const longer = titles === '' ? section.title : `${section.title} > ${titles}`;
    if (count(longer) > maxTokens) break;
    titles = longer;
  }
  return titles;
}

/** Returns the page that contains an offset: the last one that starts at or before it. */
function pageAt(pages: ReadDocument['pages'], offset: number): number | null {
  let low = 0;
  let high = pages.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((pages[middle]?.start ?? Infinity) <= offset) low = middle + 1;
    else high = middle;
  }
  return pages[Math.max(0, low - 1)]?.page ?? null;
}
