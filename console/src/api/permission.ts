import type { Schemas } from './schemas.ts';

/** What a key may permit: `collections:write`. */
export type Permission = Schemas['Permission'];
