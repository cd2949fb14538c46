/** Random choices that are reproducible from a seed. */
export type SeededRandom = {
  /** From 0 up to but not including 1. */
  fraction(): number;
  /** A whole number from `from` to `to`, both included. */
  between(from: number, to: number): number;
  pick<Value>(values: readonly [Value, ...Value[]]): Value;
};

/** A random generator for tests (Mulberry32, by Tommy Ettinger): the same seed yields the same choices. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const fraction = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const between = (from: number, to: number) => from + Math.floor(fraction() * (to - from + 1));
  return { fraction, between, pick: (values) => values[between(0, values.length - 1)] ?? values[0] };
}
