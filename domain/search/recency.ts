import { resolveField } from '#domain/filters/fields.ts';
import type { FilterRecord } from '#domain/filters/filter.ts';
import { instantOfValue } from '#domain/filters/iso-date.ts';
import { recordValues } from '#domain/filters/values-by-path.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

type Recency = { half_life_days: number; weight: number; field: string };

/**
 * Returns the score of a content with its factor: a score of 1 loses what the factor takes from it, and a score of −1 (a vector that
 * points the other way) loses as much, so that of two equal scores that of the newer content stays higher.
 */
export function boostedScore(score: number, factor: number): number {
  return score - Math.abs(score) * (1 - factor);
}

/**
 * Returns the factor for the score of a content by its age: 1 for new ones, 1 − weight for those without a date, half of the
 * way between after each half life. Dates in the future count as new. Of several dates the latest counts.
 */
export function recencyFactor(record: FilterRecord, recency: Recency, nowMs: number): number {
  const field = resolveField(recency.field);
  const values = field === null ? [] : (recordValues(record)[field.area].get(field.path) ?? []);
  const instants = [...values].map(instantOfValue).filter((instant) => instant !== null);
  const ageMs = instants.length === 0 ? Infinity : Math.max(0, nowMs - Math.max(...instants));
  return 1 - recency.weight + recency.weight * 0.5 ** (ageMs / (recency.half_life_days * DAY_MS));
}
