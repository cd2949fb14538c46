/** The public exports of the package. */
export { LociRetriever } from './loci-retriever.ts';
export type { LociRetrieverFields } from './loci-retriever.ts';
