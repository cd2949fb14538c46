import { BOUNDARY, type Atom, type Boundary } from './atoms.ts';

/** What being cut at a boundary is worth, on the scale of `sizeCost` (1 = a chunk twice the target, or empty). */
const WORTH: Record<Boundary, number> = {
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

/** A section shorter than this part of the target is put together with its next sibling or first child. */
const TINY_PART = 0.25;

export type PackLimits = {
  targetTokens: number;
  /** Most tokens of a chunk that begins with this atom, its context left out. At least the atom's own. */
  roomFor(first: Atom): number;
};

/**
 * Groups atoms into chunks: nothing crosses into a section unless what came before is tiny; within a section the cuts
 * are the best compromise of a good boundary and the size aimed at. Greedy with a look ahead of two chunks: linear, lazy.
 */
export function* packAtoms(atoms: Iterable<Atom>, limits: PackLimits): Generator<readonly Atom[]> {
  let waiting: Atom[] = [];
  let tokens = 0;
  for (const atom of atoms) {
    if (atom.boundary === BOUNDARY.heading && waiting.length > 0 && !joins(waiting, tokens, { atom, limits })) {
      yield* drain(waiting, limits);
      waiting = [];
      tokens = 0;
    }
    waiting.push(atom);
    tokens += atom.tokens;
    while (tokens > 2 * limits.targetTokens && tokens > 2 * sizeLimit(waiting, limits)) {
      const taken = waiting.splice(0, chooseCut(waiting, limits, false));
      tokens -= total(taken);
      yield taken;
    }
  }
  yield* drain(waiting, limits);
}

function* drain(waiting: Atom[], limits: PackLimits): Generator<readonly Atom[]> {
  while (waiting.length > 0) yield waiting.splice(0, chooseCut(waiting, limits, true));
}

function joins(waiting: readonly Atom[], tokens: number, next: { atom: Atom; limits: PackLimits }): boolean {
  const first = waiting[0];
  if (!first || tokens >= next.limits.targetTokens * TINY_PART) return false;
  return first.section.level > 0 && next.atom.section.level >= first.section.level;
}

/** A chunk may go a quarter over the target for a better end. */
function sizeLimit(waiting: readonly Atom[], limits: PackLimits): number {
  const first = waiting[0];
  return first ? Math.min(limits.roomFor(first), Math.ceil(limits.targetTokens * 1.25)) : limits.targetTokens;
}

/** How many of the waiting atoms make the next chunk; `isAll` when no atom of theirs is still to come. */
function chooseCut(waiting: readonly Atom[], limits: PackLimits, isAll: boolean): number {
  const room = sizeLimit(waiting, limits);
  const all = total(waiting);
  if (isAll && all <= room) return waiting.length;
  const isLastPair = isAll && all <= 2 * room;
  const ideal = isLastPair ? all / 2 : Math.min(limits.targetTokens, room);
  let best = 1;
  let bestScore = -Infinity;
  let size = 0;
  for (const [index, atom] of waiting.entries()) {
    if (index > 0) {
      const score = WORTH[atom.boundary] - sizeCost(size, ideal);
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
