/** The public exports of the package. */
export { lociTools } from './loci-tools.ts';
export type { FoundPassage, LociToolOptions } from './loci-tools.ts';
