import type { Client } from 'openapi-fetch';
import type { paths } from './schema.ts';

/** Every endpoint, typed from `openapi.json`. */
export type LociApi = Client<paths, `${string}/${string}`>;
