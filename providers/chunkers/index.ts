export { createStructureChunker } from './structure.ts';
export { createTokenCounter } from './token-counter.ts';
