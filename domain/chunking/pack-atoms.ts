import { BOUNDARY, type Atom, type Boundary } from './atoms.ts';

/** Value of a cut at a boundary, on the scale of `sizeCost` (1 = a chunk of twice the target size, or an empty one). */
const BOUNDARY_VALUE: Record<Boundary, number> = {
  [BOUNDARY.glued]: -4,
  [BOUNDARY.character]: -2,
  [BOUNDARY.word]: -1,
  [BOUNDARY.clause]: -0.5,
  [BOUNDARY.line]: -0.1,
  [BOUNDARY.sentence]: 0,
  [BOUNDARY.item]: 0.1,
  [BOUNDARY.block]: 0.2,
  [BOUNDARY.heading]: 8,
};

/** A section smaller than this share of the target is merged with its next sibling or first child. */
const TINY_SECTION_SHARE = 0.25;

export type Packing<Chunk> = {
  targetTokens: number;
  /** Maximum tokens of a chunk that starts with this atom, without its context. At least the tokens of the atom. */
  roomFor(first: Atom): number;
  /** Builds a chunk of these atoms, or of the first ones when all together turn out to be too many. Takes at least one. */
  build(atoms: readonly Atom[]): { chunk: Chunk; taken: number };
};

type Limits = Omit<Packing<unknown>, 'build'>;

/**
 * Groups atoms into chunks. A chunk never continues into the next section unless the previous one is tiny. Within a section each
 * cut is the best compromise between a good boundary and the target size. Greedy with a lookahead of two chunks; linear and lazy.
 */
export function* packAtoms<Chunk>(atoms: Iterable<Atom>, packing: Packing<Chunk>): Generator<Chunk> {
  let waiting: Atom[] = [];
  let tokens = 0;
  for (const atom of atoms) {
    if (atom.boundary === BOUNDARY.heading && waiting.length > 0 && !joins(waiting, tokens, { atom, packing })) {
      yield* drain(waiting, packing);
      waiting = [];
      tokens = 0;
    }
    waiting.push(atom);
    tokens += atom.tokens;
    while (tokens > 2 * packing.targetTokens && tokens > 2 * sizeLimit(waiting, packing)) {
      const { chunk, taken } = packing.build(waiting.slice(0, chooseCut(waiting, packing, false)));
      tokens -= total(waiting.splice(0, taken));
      yield chunk;
    }
  }
  yield* drain(waiting, packing);
}

function* drain<Chunk>(waiting: Atom[], packing: Packing<Chunk>): Generator<Chunk> {
  while (waiting.length > 0) {
    const { chunk, taken } = packing.build(waiting.slice(0, chooseCut(waiting, packing, true)));
    waiting.splice(0, taken);
    yield chunk;
  }
}

function joins(waiting: readonly Atom[], tokens: number, next: { atom: Atom; packing: Limits }): boolean {
  const first = waiting[0];
  if (!first || tokens >= next.packing.targetTokens * TINY_SECTION_SHARE) return false;
  return first.section.level > 0 && next.atom.section.level >= first.section.level;
}

/** A chunk may exceed the target by a quarter to end at a better boundary. */
function sizeLimit(waiting: readonly Atom[], packing: Limits): number {
  const first = waiting[0];
  return first ? Math.min(packing.roomFor(first), Math.ceil(packing.targetTokens * 1.25)) : packing.targetTokens;
}

/** Returns how many of the waiting atoms make the next chunk. `isAll`: no more atoms of the section follow. */
function chooseCut(waiting: readonly Atom[], packing: Limits, isAll: boolean): number {
  const room = sizeLimit(waiting, packing);
  const all = total(waiting);
  if (isAll && all <= room) return waiting.length;
  const isLastPair = isAll && all <= 2 * room;
  const ideal = isLastPair ? all / 2 : Math.min(packing.targetTokens, room);
  let best = 1;
  let bestScore = -Infinity;
  let size = 0;
  for (const [index, atom] of waiting.entries()) {
    if (index > 0) {
      const score = BOUNDARY_VALUE[atom.boundary] - sizeCost(size, ideal);
      if (score >= bestScore) [best, bestScore] = [index, score];
    }
    size += atom.tokens;
    if (size > room) break;
  }
  return best;
}

function sizeCost(size: number, ideal: number): number {
  return ((size - ideal) / ideal) ** 2;
}

function total(atoms: readonly Atom[]): number {
  let sum = 0;
  for (const atom of atoms) sum += atom.tokens;
  return sum;
}
