/** Reads documents with the tools of several options, and prints what came of each call. Started by test/adapters. */
import { createLociClient } from '@loci/client';
import { lociTools } from '../dist/index.js';

const loci = createLociClient();
const results = [];
for (const [options, input] of JSON.parse(process.env.CALLS)) {
  const { readDocument } = lociTools(loci, options);
  results.push(await readDocument.execute(input, {}).catch(({ message }) => ({ error: message })));
}
console.log(JSON.stringify(results));
