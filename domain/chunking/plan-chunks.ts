import type { ChunkLimits, PlannedChunk } from './chunker.ts';
import type { ReadDocument } from '#domain/reader.ts';
import { MOST_BLANK_COUNTED, MOST_CHARACTERS_PER_TOKEN, splitIntoAtoms, type Atom, type Section } from './atoms.ts';
import { packAtoms } from './pack-atoms.ts';

/** Parts of the limit that a chunk's context may take: titles of the headings above, header row of its table. */
const TITLES_PART = 0.2;
const HEADER_PART = 0.25;
/** The largest atom; with the largest context it still fits. */
const ATOM_PART = 0.5;
/** Sums of counts are trusted up to this part of the limit; above it the whole is counted. */
const TRUSTED_PART = 0.9;

type Counter = (text: string) => number;

/**
 * Splits a document by its structure: headings, paragraphs, lists, tables, code; then sentences, clauses, words.
 * Offsets are kept, each non-blank character is in exactly one chunk, `tokens` never exceeds `limits.maxTokens` for
 * any limit of 16 or more. Lazy, deterministic, linear in the length of the text.
 */
export function* planChunks(
  document: ReadDocument,
  limits: ChunkLimits,
  countTokens: Counter,
): Generator<PlannedChunk> {
  const context = contextOf(limits, countTokens);
  const plan: Plan = { document, limits, countTokens, context };
  const maxTokens = Math.max(1, Math.floor(limits.maxTokens * ATOM_PART));
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

/** The chunk of these atoms; of fewer, where counted as a whole they are more than the sum of them. */
function chunkOf(atoms: readonly Atom[], plan: Plan): { chunk: PlannedChunk; taken: number } {
  const { text, pages } = plan.document;
  for (let taken = withinLength(atoms, plan.limits.maxTokens); ; taken = Math.max(1, Math.floor(taken * 0.75))) {
    const used = atoms.slice(0, taken);
    const first = used[0];
    const last = used.at(-1);
    if (!first || !last) throw new RangeError('a chunk needs at least one atom');
    const shared = sharedSection(used);
    const context = plan.context(first, shared);
    const slice = text.slice(first.start, last.end);
    const tokens = tokensOf(used, { context, slice, plan });
    if (tokens > plan.limits.maxTokens && used.length > 1) continue;
    const chunk = {
      text: slice,
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

/** How many of these atoms one chunk can hold by length; only runs of blank space between them make it matter. */
function withinLength(atoms: readonly Atom[], maxTokens: number): number {
  const limit = (atoms[0]?.start ?? 0) + maxTokens * MOST_CHARACTERS_PER_TOKEN;
  const beyond = atoms.findIndex((atom) => atom.end > limit);
  return beyond === -1 ? atoms.length : Math.max(1, beyond);
}

/** The sum of the atoms' counts, as long as it can be trusted; else the whole is counted too. */
function tokensOf(atoms: readonly Atom[], chunk: { context: Context; slice: string; plan: Plan }): number {
  const { context, slice, plan } = chunk;
  let sum = context.tokens;
  let uncountedBlank = 0;
  for (const [index, atom] of atoms.entries()) {
    sum += atom.tokens;
    const gap = atom.start - (atoms[index - 1]?.end ?? atom.start);
    if (gap > MOST_BLANK_COUNTED) uncountedBlank += gap;
  }
  if (sum <= plan.limits.maxTokens * TRUSTED_PART && uncountedBlank === 0) return sum;
  return Math.max(sum, plan.countTokens(context.text === '' ? slice : `${context.text}\n${slice}`));
}

/** The innermost section that holds for all of these atoms, headings without a body of their own left out. */
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

/** Sections with a heading from the outermost to this one. */
function sectionsAbove(section: Section): Section[] {
  const above: Section[] = [];
  for (let at: Section | null = section; at && at.level > 0; at = at.parent) above.unshift(at);
  return above;
}

type Context = { text: string; tokens: number };

/** Builds contexts. Counts are remembered, for neighbouring chunks mostly share theirs. */
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
    const titles = fittingTitles(missing, limits.maxTokens * TITLES_PART, count);
    const parts = titles === '' ? [] : [titles];
    const { table } = first;
    if (table && table.start < first.start && count(table.header) <= limits.maxTokens * HEADER_PART)
      parts.push(table.header);
    const joined = parts.join('\n');
    // One more for the line break, which some tokenizers count.
    return { text: joined, tokens: joined === '' ? 0 : count(joined) + 1 };
  };
}

/** The innermost titles that fit together, as `A > B > C`. */
function fittingTitles(sections: readonly Section[], mostTokens: number, count: (part: string) => number): string {
  let titles = '';
  for (const section of sections.toReversed()) {
    if (section.title === '') continue;
    const longer = titles === '' ? section.title : `${section.title} > ${titles}`;
    if (count(longer) > mostTokens) break;
    titles = longer;
  }
  return titles;
}

/** The page that holds this offset: the last one that starts at or before it. */
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
