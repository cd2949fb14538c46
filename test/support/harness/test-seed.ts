import { randomInt } from 'node:crypto';
import { configureGlobal } from 'fast-check';

const FIXED_SEED = 20_261_122;
const given = process.env['LOCI_TEST_SEED'] ?? String(FIXED_SEED);

/**
 * The seed of everything that a test draws at random: the same in every run, so that a green run does not depend on luck.
 * `LOCI_TEST_SEED=random` draws another one in each test process, for campaigns; a number repeats what a campaign found.
 */
export const TEST_SEED = given === 'random' ? randomInt(1_000_000) : Number(given);

if (!Number.isSafeInteger(TEST_SEED)) throw new Error('LOCI_TEST_SEED must be a whole number or "random".');
// The test runner loads this file before each test file. A property that fails prints its seed.
configureGlobal({ seed: TEST_SEED });
