import { InvalidArgumentError } from '@commander-js/extra-typings';

/** Takes whole numbers within bounds as the value of an option. */
export function integer(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (Number.isInteger(value) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Give a whole number from ${min} to ${max}.`);
  };
}

/** Takes a JSON object as the value of an option. */
export function jsonObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Told below, as any other value that is no object.
  }
  throw new InvalidArgumentError(`Give a JSON object, such as '{"lang":"en"}'.`);
}

/** Gathers the values of an option that may be repeated. Options that take several at once would swallow arguments. */
export function repeated(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}

/** Takes a part of a whole as the value of an option. */
export function fraction(text: string): number {
  const value = Number(text);
  if (value > 0 && value <= 1) return value;
  throw new InvalidArgumentError('Give a number above 0 and at most 1.');
}
