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
  expiry: (typeof EXPIRIES)[number];
  /** Local time, as fields of the browser have it: `2026-03-02T09:15`. */
  date: string;
};

const DAY_MS = 86_400_000;
const EXPIRIES = ['never', '7', '30', '90', '365', 'date'] as const;
const DEFAULT_EXPIRY = '90';

/** Returns the permissions that this caller can give to a key. `may` asks for all of its arguments, so it gets one. */
export function grantablePermissions(may: (one: Permission) => boolean): Permission[] {
  return permissionGroups
    .flatMap(({ permissions }) => Object.keys(permissions) as Permission[])
    .filter((one) => may(one));
}

/** Returns the lifetimes that a caller may give who may give none beyond `latest`; null: any. */
export function offeredExpiries(latest: string | null): KeyDraft['expiry'][] {
  if (latest === null) return [...EXPIRIES];
  const leftDays = (new Date(latest).getTime() - Date.now()) / DAY_MS;
  return EXPIRIES.filter((one) => one === 'date' || Number(one) <= leftDays);
}

/** Returns what the fields of a key show; of a new one, `latest` limits the lifetime. */
export function draftOf(key: Schemas['ApiKey'] | null, latest: string | null): KeyDraft {
  const offered = offeredExpiries(latest);
  const expiresAt = key === null ? latest : key.expires_at;
  const present = expiresAt === null ? 'never' : 'date';
  return {
    label: key?.label ?? '',
    access: key?.permissions.includes('*') === true ? 'everything' : key === null ? 'reading' : 'chosen',
    permissions: key?.permissions ?? [],
    collections: key?.collections ?? [],
    addresses: key?.ip_whitelist ?? [],
    expiry: key !== null ? present : offered.includes(DEFAULT_EXPIRY) ? DEFAULT_EXPIRY : 'date',
    date: expiresAt === null ? '' : localTimeOf(new Date(expiresAt)),
  };
}

export type Granting = {
  /** The permissions that the caller can give. */
  grantable: readonly Permission[];
  /** The collections that the caller reaches; null: all. */
  reached: readonly string[] | null;
};

/** Returns what is sent to the API to create a key. What is left empty is as limited as the caller is. */
export function newKeyOf(draft: KeyDraft, { grantable }: Granting): Schemas['CreateApiKeyRequest'] {
  const { collections, addresses } = draft;
  return {
    label: labelOf(draft),
    permissions: permissionsOf(draft, grantable),
    ...(collections.length === 0 ? {} : { collections }),
    ...(addresses.length === 0 ? {} : { ip_whitelist: addresses }),
    expires_at: expiryOf(draft),
  };
}

/** Returns what is sent to the API to change a key. What is left out would stay as it is. */
export function changedKeyOf(draft: KeyDraft, { grantable, reached }: Granting): Schemas['UpdateApiKeyRequest'] {
  const { collections, addresses } = draft;
  return {
    label: labelOf(draft),
    permissions: permissionsOf(draft, grantable),
    collections: collections.length === 0 ? reached && [...reached] : collections,
    ip_whitelist: addresses.length === 0 ? null : addresses,
    expires_at: expiryOf(draft),
  };
}

function labelOf({ label }: KeyDraft): string | null {
  return label.trim() === '' ? null : label.trim();
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
