import { registerCompletionHandler } from 'ava';

// The test runner loads this file first of all in the process of each test file.

// Ava switches source maps on, and Node then reads those of every package. Our own lines are where they were without types.
process.setSourceMapsEnabled(false);

// A connection that a client keeps for its next request would otherwise keep the process after its last test, for up to a minute,
// and with it one of the two places in which test files run.
registerCompletionHandler(() => process.exit());
