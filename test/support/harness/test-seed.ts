import { randomInt } from 'node:crypto';
import { configureGlobal } from 'fast-check';

const FIXED_SEED = 20_261_122;
const given = process.env['LOCI_TEST_SEED'] ?? String(FIXED_SEED);

/**
 * The seed of all random choices in tests. It is the same in every run, so that results are reproducible.
 * `LOCI_TEST_SEED=random` picks another one in each test process, for long campaigns; a number reproduces a failure.
 */
export const TEST_SEED = given === 'random' ? randomInt(1_000_000) : Number(given);

if (!Number.isSafeInteger(TEST_SEED)) throw new Error('LOCI_TEST_SEED must be a whole number or "random".');
// The test runner loads this file before each test file. A failing property prints its seed.
configureGlobal({ seed: TEST_SEED });
