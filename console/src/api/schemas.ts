import type { components } from '@loci/client/browser';

/** The records of the API, by their names in its OpenAPI document. */
export type Schemas = components['schemas'];
