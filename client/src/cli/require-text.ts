import { LociError } from '../loci-error.ts';

/** @throws LociError with the advice if the text is blank, which the service would reject in terms of its fields */
export function requireText(text: string, advice: string): void {
  if (text.trim() === '') throw new LociError(advice, { status: null, code: 'nothing_to_do' });
}
