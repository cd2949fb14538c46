/** The exports of the package that work in browsers: `import { createBrowserClient } from '@loci/client/browser'`. */
export { createBrowserClient } from './create-browser-client.ts';
export type { BrowserClient, BrowserClientOptions } from './create-browser-client.ts';
export { dataOf } from './data-of.ts';
export { errorFromResponse, LociError } from './loci-error.ts';
export type { LociIssue } from './loci-error.ts';
export { newIdempotencyKey } from './new-idempotency-key.ts';
export { notTheApi } from './require-api.ts';
export type { AnswerEvent, AnswerQuestion } from './stream-answer.ts';
export { withRetries } from './with-retries.ts';
export type { RetryOptions } from './with-retries.ts';
export type { components, operations, paths } from './schema.ts';
