/** Which memories are shown. By default the present ones of all users. */
export type MemoryFilter = {
  user?: string | undefined;
  search?: string | undefined;
  /** A time in the past, ISO 8601. */
  asOf?: string | undefined;
};
