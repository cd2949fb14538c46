import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import test from 'ava';
import { z } from 'zod';
import { Conversation } from '#domain/records/conversation.ts';
import { Message } from '#domain/records/message.ts';
import { freshClient } from '#test/support/harness/api-client.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { summariseOnUpkeep } from './summarise-on-upkeep.ts';

test('a summary that an earlier release has scheduled on the queue upkeep is written', async (t) => {
  const { address, namespace } = testStack().temporal;
  const api = await freshClient();
  // A single message is not summarised before the conversation ends.
  const json = { content: 'The ferry leaves at noon.' };
  const [message] = await api.post('/messages', z.array(Message), { json, status: 201 });
  const conversation_id = message?.conversation_id ?? '';
  const taskQueue = `earlier-release-${randomUUID()}`;
  const connection = await NativeConnection.connect({ address });
  const workflowsPath = join(import.meta.dirname, 'summarise-on-upkeep.ts');
  const worker = await Worker.create({ connection, namespace, taskQueue, workflowsPath });
  const running = worker.run();
  const clientConnection = await Connection.connect({ address });
  t.teardown(async () => {
    worker.shutdown();
    await running;
    await Promise.all([connection.close(), clientConnection.close()]);
  });
  const { workflow } = new Client({ connection: clientConnection, namespace });
  const args = { workspace_id: api.workspaceId, conversation_id, messages: 1 };
  const started = { workflowId: taskQueue, taskQueue, args: [args] as [typeof args] };
  const outcome = await workflow.execute(summariseOnUpkeep, started);
  t.deepEqual(outcome, { messages: 1, characters: json.content.length });
  t.is((await api.get(`/conversations/${conversation_id}`, Conversation)).summary, json.content);
});
