import type { Schemas } from '../../api/schemas.ts';
import type { Session } from '../../app/session.tsx';

/**
 * Whether a key may do more than the caller, who can then neither change it nor give it a new secret. Addresses are not compared: the
 * service says so where they are what is too much.
 */
export function exceedsCaller(key: Schemas['ApiKey'], { access, may }: Pick<Session, 'access' | 'may'>): boolean {
  const { collections } = access;
  const latest = access.api_key?.max_key_expires_at ?? null;
  return (
    !may(...key.permissions) ||
    (collections !== null && !(key.collections?.every((id) => collections.includes(id)) ?? false)) ||
    (latest !== null && (key.expires_at === null || key.expires_at > latest))
  );
}
