import { startSecondProcess } from '#test/support/harness/second-process.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { startChatServer, type ChatBehaviour, type ChatRequest } from '#test/support/servers/chat-server.ts';
import type { ModelServer } from '#test/support/servers/model-server.ts';

/** An API of the stack whose chat model does what a test says. */
export type AnswerApi = {
  /** Base URL, with `/api/v1`. */
  url: string;
  chat: ModelServer<ChatRequest>;
  behave(behaviour: ChatBehaviour): void;
  post(
    path: string,
    json: object,
    sent: { key: string; headers?: Record<string, string>; signal?: AbortSignal },
  ): Promise<Response>;
  close(): Promise<void>;
};

/** Time limit of the model. */
export const CHAT_TIMEOUT_MS = 3_000;

/** Starts a chat server, and an API that asks it. */
export async function startAnswerApi(): Promise<AnswerApi> {
  let behaviour: ChatBehaviour = () => 'nothing';
  const chat = await startChatServer((question, headers) => behaviour(question, headers));
  const api = await startSecondProcess(testStack(), {
    kind: 'api',
    name: 'answers-api',
    environment: {
      LOCI_CHAT_BASE_URL: chat.baseUrl,
      LOCI_CHAT_MODEL: 'scripted',
      LOCI_CHAT_TIMEOUT_S: String(CHAT_TIMEOUT_MS / 1_000),
    },
  });
  const url = `${api.url}/api/v1`;
  return {
    url,
    chat,
    behave: (next) => (behaviour = next),
    post: (path, json, { key, headers, signal }) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: { 'X-API-Key': key, 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify(json),
        signal: signal ?? null,
      }),
    async close() {
      await Promise.all([api.stop(), chat.close()]);
    },
  };
}
