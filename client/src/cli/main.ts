#!/usr/bin/env node
import { runLoci } from './run-loci.ts';

// In `loci … | head`, the reading side closes first.
process.stdout.on('error', (error) => {
  if (Reflect.get(error, 'code') === 'EPIPE') process.exit(0);
  throw error;
});
// Node 20 warns before every upload that streaming a file into a form is experimental.
process.removeAllListeners('warning');
process.on('warning', (warning) => {
  if (warning.name !== 'ExperimentalWarning') console.error(`${warning.name}: ${warning.message}`);
});

process.exitCode = await runLoci(process.argv.slice(2));
