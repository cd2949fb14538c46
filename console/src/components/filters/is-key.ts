/** True for a name of one of the choices. */
export function isKey<Key extends string>(names: Readonly<Record<Key, unknown>>, name: unknown): name is Key {
  return typeof name === 'string' && Object.hasOwn(names, name);
}

/** Returns the name of a choice; undefined for anything else. */
export function keyOf<Key extends string>(names: Readonly<Record<Key, unknown>>, name: unknown): Key | undefined {
  return isKey(names, name) ? name : undefined;
}
