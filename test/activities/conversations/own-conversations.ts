import type { ExecutionContext } from 'ava';
import { extractFromMessages } from '#activities/conversations/extract-from-messages.ts';
import type { ChatModel } from '#domain/chat-model.ts';
import type { NewMessage } from '#domain/records/message.ts';
import { createMessages } from '#operations/conversations/create-messages.ts';
import { listMemories } from '#operations/memories/memories.ts';
import { projectMemories } from '#test/operations/memories/project-memories.ts';
import type { Services } from '#operations/services.ts';
import { searchMemories } from '#operations/memories/search-memories.ts';
import { createChatModel } from '#providers/models/chat-model.ts';
import { userOf } from '#test/support/harness/content-runs.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';
import { startChatServer, type ChatBehaviour } from '#test/support/servers/chat-server.ts';

/** A model that extracts each message as one fact, and compares facts and memories by the script of a test. */
export function scripted(compare: (material: string) => string | { status: number }): ChatBehaviour {
  return ({ instructions, material }) =>
    instructions.startsWith('Extract') ? JSON.stringify([material]) : compare(material);
}

/** Finds contradictions between facts and memories about the same kind of thing: the words before `: `. */
export function byTopic(material: string): string {
  const [facts = '', memories = ''] = material.split('\n\n');
  const topicsOf = (list: string) => [...list.matchAll(/^\d+\. \(.*?\) (.*?): /gm)].map(([, topic]) => topic);
  const entries = topicsOf(facts).map((topic, at) => ({
    fact: at + 1,
    memories: topicsOf(memories).flatMap((other, place) => (other === topic ? [place + 1] : [])),
  }));
  return JSON.stringify(entries);
}

export async function openOwnConversations(t: ExecutionContext, behaviour: ChatBehaviour) {
  const { services: own, database } = await openOwnServices(t, { temporal: 'away' });
  const server = await startChatServer(behaviour);
  t.teardown(() => server.close());
  const chat = createChatModel({ baseUrl: server.baseUrl, apiKey: null, model: 'small', timeoutMs: 20_000 });
  const services = { ...own, chat };
  const workspaceId = await services.stores.system.insertWorkspace('talks');
  const callerOf = (userId: string) => userOf(workspaceId, userId);
  /** Says something in a conversation of its own, and returns what extracts memories from it. */
  const say = async (content: string | NewMessage, userId = 'ada') => {
    const body = { enable_memories: true, content: [content] };
    const [message] = (await createMessages(services, callerOf(userId), { body, idempotency: null })).body;
    const args = { workspace_id: workspaceId, conversation_id: message?.conversation_id ?? '', from: 1, to: 1 };
    return (model: ChatModel | null = chat, by: Services = services) =>
      extractFromMessages({ ...by, chat: model }, args);
  };
  const list = async (include_superseded: boolean, userId = 'ada') =>
    (await listMemories(services, callerOf(userId), { limit: 100, include_superseded })).data;
  const current = async (userId = 'ada') => (await list(false, userId)).map(({ memory }) => memory);
  const find = async (query: string, as_of?: string) => {
    const request = {
      query,
      retrieval_method: 'keyword',
      limit: 10,
      ...(as_of === undefined ? {} : { as_of }),
    } as const;
    return (await searchMemories(services, callerOf('ada'), request)).memories.map(({ memory }) => memory);
  };
  const compared = () => server.requests.flatMap(({ messages }) => messages.at(-1)?.content ?? []).filter(isComparison);
  return { services, database, chat, callerOf, say, list, current, find, compared, requests: server.requests };
}

export function isComparison(material: string): boolean {
  return material.startsWith('Facts:');
}

/** Indexes everything that is pending. */
export const index = async (services: Parameters<typeof projectMemories>[0]) => {
  while ((await projectMemories(services)) > 0);
};
