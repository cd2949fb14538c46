#!/usr/bin/env node
import { runLoci } from './run-loci.ts';

// `loci … | head` ends the reading side first.
process.stdout.on('error', (error) => {
  if (Reflect.get(error, 'code') === 'EPIPE') process.exit(0);
  throw error;
});
// Node 20 calls streaming a file into a form experimental, and would say so before every upload.
process.removeAllListeners('warning');
process.on('warning', (warning) => {
  if (warning.name !== 'ExperimentalWarning') console.error(`${warning.name}: ${warning.message}`);
});

process.exitCode = await runLoci(process.argv.slice(2));
