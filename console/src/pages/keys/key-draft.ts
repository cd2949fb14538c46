import type { Permission } from '../../api/permission.ts';
import type { Schemas } from '../../api/schemas.ts';
import { localTimeOf } from '../../format/local-time.ts';
import { permissionGroups } from '../../texts/permission-texts.ts';

/** A key as it is being filled in. */
export type KeyDraft = {
  label: string;
  access: 'everything' | 'reading' | 'chosen';
  permissions: Permission[];
  collections: string[];
  addresses: string[];
  expiry: 'never' | '7' | '30' | '90' | '365' | 'date';
  /** Local time, as fields of the browser have it: `2026-03-02T09:15`. */
  date: string;
};

const DAY_MS = 86_400_000;

/** Returns the permissions that this caller can give to a key. `may` asks for all of its arguments, so it gets one. */
export function grantablePermissions(may: (one: Permission) => boolean): Permission[] {
  return permissionGroups
    .flatMap(({ permissions }) => Object.keys(permissions) as Permission[])
    .filter((one) => may(one));
}

export function draftOf(key: Schemas['ApiKey'] | null): KeyDraft {
  const expiresAt = key?.expires_at ?? null;
  return {
    label: key?.label ?? '',
    access: key?.permissions.includes('*') === true ? 'everything' : key === null ? 'reading' : 'chosen',
    permissions: key?.permissions ?? [],
    collections: key?.collections ?? [],
    addresses: key?.ip_whitelist ?? [],
    expiry: key === null ? '90' : expiresAt === null ? 'never' : 'date',
    date: expiresAt === null ? '' : localTimeOf(new Date(expiresAt)),
  };
}

/** Returns what is sent to the API. */
export function bodyOf(draft: KeyDraft, grantable: readonly Permission[]): Schemas['CreateApiKeyRequest'] {
  const { label, collections, addresses } = draft;
  return {
    label: label.trim() === '' ? null : label.trim(),
    permissions: permissionsOf(draft, grantable),
    collections: collections.length === 0 ? null : collections,
    ip_whitelist: addresses.length === 0 ? null : addresses,
    expires_at: expiryOf(draft),
  };
}

/** Returns the permissions that the draft stands for. */
export function permissionsOf({ access, permissions }: KeyDraft, grantable: readonly Permission[]): Permission[] {
  if (access === 'everything') return ['*'];
  if (access === 'reading') return grantable.filter((one) => one.endsWith(':read') && one !== 'api-keys:read');
  return permissions;
}

function expiryOf({ expiry, date }: KeyDraft): string | null {
  if (expiry === 'never') return null;
  if (expiry !== 'date') return new Date(Date.now() + Number(expiry) * DAY_MS).toISOString();
  return date === '' ? null : new Date(date).toISOString();
}
