import type { Reception } from '../domain/oauth/stored-tokens.ts';
import type { Services } from './services.ts';

/** Now, and a number that spreads what is due. */
export function receptionOf({ clock }: Pick<Services, 'clock'>): Reception {
  return { receivedMs: clock.now().getTime(), random: Math.random() };
}
