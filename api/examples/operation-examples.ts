import { accessExamples } from './access-examples.ts';
import { answerExamples } from './answer-examples.ts';
import { collectionExamples } from './collection-examples.ts';
import { compressionExamples } from './compression-examples.ts';
import { connectionExamples } from './connection-examples.ts';
import { contentExamples } from './content-examples.ts';
import { conversationExamples } from './conversation-examples.ts';
import { memoryExamples } from './memory-examples.ts';
import type { OperationExample } from './operation-example.ts';
import { processExamples } from './process-examples.ts';
import { uploadExamples } from './upload-examples.ts';
import { webhookExamples } from './webhook-examples.ts';
import { workspaceExamples } from './workspace-examples.ts';

/** The examples of all operations, by operation id. Operations without bodies have none. */
export const operationExamples: Readonly<Record<string, OperationExample>> = {
  ...uploadExamples,
  ...contentExamples,
  ...collectionExamples,
  ...answerExamples,
  ...accessExamples,
  ...workspaceExamples,
  ...conversationExamples,
  ...memoryExamples,
  ...connectionExamples,
  ...webhookExamples,
  ...compressionExamples,
  ...processExamples,
};
