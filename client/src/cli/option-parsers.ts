import { InvalidArgumentError } from '@commander-js/extra-typings';

/** Returns a parser for integer options within bounds. */
export function parseInteger(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Use a whole number from ${min} to ${max}.`);
  };
}

/** Parses the value of an option as a JSON object. */
export function parseJsonObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Reported below, like any other value that is not an object.
  }
  throw new InvalidArgumentError(`Use a JSON object, such as '{"lang":"en"}'.`);
}

/** Collects the values of a repeatable option. Options with several values at once would consume arguments. */
export function collectRepeated(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}

/** Parses the value of an option as a fraction above 0 and up to 1. */
export function parseFraction(text: string): number {
  const value = Number(text);
  if (value > 0 && value <= 1) return value;
  throw new InvalidArgumentError('Use a number above 0 and at most 1.');
}
