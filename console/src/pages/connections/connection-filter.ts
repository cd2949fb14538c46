import type { Schemas } from '../../api/schemas.ts';
import { isKey } from '../../components/filters/is-key.ts';
import { connectionsTexts } from '../../texts/connections-texts.ts';

type Status = Schemas['Connection']['status'];

/** Which connections are shown. By default all. */
export type ConnectionFilter = { user?: string | undefined; status?: Status | undefined };

/** Reads the filter from the address of the page. A user that looks like a number is one in an address. */
export function connectionFilterOf({ user, status }: Record<string, unknown>): ConnectionFilter {
  return {
    ...(typeof user === 'number' || (typeof user === 'string' && user !== '') ? { user: String(user) } : {}),
    ...(isKey(connectionsTexts.status, status) ? { status } : {}),
  };
}
