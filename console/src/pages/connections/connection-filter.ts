import type { Schemas } from '../../api/schemas.ts';
import { addressText } from '../../components/filters/address-text.ts';
import { isKey } from '../../components/filters/is-key.ts';
import { connectionsTexts } from '../../texts/connections-texts.ts';

type Status = Schemas['Connection']['status'];

/** Which connections are shown. By default all. */
export type ConnectionFilter = { user?: string | undefined; status?: Status | undefined };

/** Reads the filter from the address of the page. */
export function connectionFilterOf({ user, status }: Record<string, unknown>): ConnectionFilter {
  return {
    user: addressText(user),
    ...(isKey(connectionsTexts.status, status) ? { status } : {}),
  };
}
