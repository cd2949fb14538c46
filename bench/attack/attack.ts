import type { Target } from './target.ts';

/** One attack, and what it did before the limits that it tries. */
export type Attack = {
  title: string;
  /** The part of `--only` that selects it. */
  group: string;
  /** What the same attack did before there were limits. */
  before: string;
  /** Requests that it keeps open at the same time: what grows the memory together. */
  requestsAtOnce: number;
  /** Prepares the attack in a workspace of its own, which is not measured. Returns the attack, which tells what was answered. */
  prepare: (target: Target) => Promise<() => Promise<string>>;
};
