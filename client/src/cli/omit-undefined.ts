type Defined<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

/** Returns the fields without those that are `undefined`, which the request types do not accept. */
export function omitUndefined<Fields extends object>(fields: Fields): Defined<Fields> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Defined<Fields>; // guaranteed by the filter
}
