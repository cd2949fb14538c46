/** The public exports of the package. */
export { createLociClient } from './create-loci-client.ts';
export type { LociClient, LociClientOptions } from './create-loci-client.ts';
export type { LociApi } from './loci-api.ts';
export { findConnection } from './connection.ts';
export type { Connection, ConnectionOptions } from './connection.ts';
export type { McpStreams } from './mcp/relay-mcp.ts';
export type { AnswerEvent, AnswerQuestion } from './stream-answer.ts';
export type { ExportedVersion } from './export-memories.ts';
export { dataOf } from './data-of.ts';
export { LociError } from './loci-error.ts';
export type { LociIssue } from './loci-error.ts';
export type { ItemOf, ListOptions, ListPath } from './paginate.ts';
export type { UploadedItem } from './upload/match-response.ts';
export type { FileInput, UploadFailure } from './upload/upload-input.ts';
export type { UploadOptions, UploadResult, UploadTally } from './upload/upload.ts';
export type {
  ContentStatus,
  ReadyResult,
  SettledContent,
  WaitOptions,
  WaitProgress,
  WaitTarget,
} from './wait-until-ready.ts';
export type { components, operations, paths } from './schema.ts';
