import type { Reception } from '#domain/connections/stored-tokens.ts';
import type { Services } from '#operations/services.ts';

/** Now, and a number that spreads what is due. */
export function tokenReceiptTime({ clock }: Pick<Services, 'clock'>): Reception {
  return { receivedMs: clock.now().getTime(), random: Math.random() };
}
