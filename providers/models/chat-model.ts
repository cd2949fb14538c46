import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, generateText, streamText, type FinishReason } from 'ai';
import { AppError } from '#domain/app-error.ts';
import { wholeSentences } from '#domain/chunking/sentences.ts';
import type { ChatFinish, ChatModel, ChatQuestion } from '#domain/chat-model.ts';
import { readRefusal } from '#domain/server-refusal.ts';

export type ChatModelOptions = {
  /** Base URL of the API, including `/v1`; null without a chat model. */
  baseUrl: string | null;
  apiKey: string | null;
  model: string | null;
  /** Time limit of one answer, in milliseconds. */
  timeoutMs: number;
};

const DEFAULT_RETRY_AFTER_S = 5;

/**
 * Creates a client of a chat model on any server with the OpenAI API (OpenAI, Ollama, vLLM); null when none is configured. The
 * operator configures its address, so it may be in a private network. Calls are not retried here; the first question connects.
 */
export function createChatModel(options: ChatModelOptions): ChatModel | null {
  const { baseUrl, apiKey, model } = options;
  if (baseUrl === null || model === null) return null;
  const provider = createOpenAICompatible({ name: 'loci', baseURL: baseUrl, ...(apiKey === null ? {} : { apiKey }) });
  const languageModel = provider.chatModel(model);
  return {
    name: model,
    async complete(question, signal) {
      try {
        const abortSignal = within(options.timeoutMs, signal);
        const answer = await generateText({ model: languageModel, ...settingsFor(question), abortSignal });
        return textOf(answer);
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        throw error instanceof AppError ? error : asAppError(error, new URL(baseUrl).host);
      }
    },
    async *stream(question, signal) {
      const stop = new AbortController();
      const abortSignal = within(options.timeoutMs, stop.signal, signal);
      try {
        const { fullStream } = streamText({
          model: languageModel,
          ...settingsFor(question),
          abortSignal,
          // The stream reports the error; the default handler would print it as well.
          onError: () => undefined,
        });
        for await (const part of fullStream) {
          if (part.type === 'text-delta') yield { text: part.text, finish: null };
          if (part.type === 'finish') yield { text: '', finish: toFinish(part.finishReason) };
          if (part.type === 'error') throw part.error;
          if (part.type === 'abort') throw abortSignal.reason;
        }
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        throw asAppError(error, new URL(baseUrl).host);
      } finally {
        stop.abort();
      }
    },
  };
}

function settingsFor({ instructions, material, maxOutputTokens }: ChatQuestion) {
  return { system: instructions, prompt: material, maxOutputTokens, temperature: 0, maxRetries: 0 };
}

function textOf({ text, finishReason }: { text: string; finishReason: FinishReason }): string {
  if (finishReason === 'content-filter')
    throw new AppError('invalid_request', 'The chat model server stopped its answer by a filter.');
  return finishReason === 'length' ? wholeSentences(text) : text;
}

function toFinish(reason: FinishReason): ChatFinish {
  if (reason === 'length') return reason;
  return reason === 'content-filter' ? 'content_filter' : 'stop';
}

/** Returns a signal that aborts after a time, or with one of the given signals. */
function within(timeoutMs: number, ...signals: (AbortSignal | undefined)[]): AbortSignal {
  return AbortSignal.any([AbortSignal.timeout(timeoutMs), ...signals.filter((signal) => signal !== undefined)]);
}

/** Maps an error to an AppError. The message contains nothing of the server's response, which may echo the question. */
function asAppError(error: unknown, host: string): AppError {
  const status = APICallError.isInstance(error) ? error.statusCode : undefined;
  if (!APICallError.isInstance(error) || status === undefined) {
    const message = `The chat model server at ${host} cannot be reached or returned no valid response.`;
    return new AppError('dependency_unavailable', message, { cause: error, retryAfterS: DEFAULT_RETRY_AFTER_S });
  }
  const refusal = { status, retryAfter: error.responseHeaders?.['retry-after'] };
  const { reason, retryDelayS } = readRefusal(refusal, Date.now());
  if (reason === 'rejected') {
    // It is too long for the model, or blocked by a filter.
    const message = `The chat model server rejected the question (HTTP ${status}).`;
    return new AppError('invalid_request', message, { cause: error });
  }
  const settings = status === 404 ? 'LOCI_CHAT_BASE_URL and LOCI_CHAT_MODEL' : 'LOCI_CHAT_API_KEY';
  const advice = reason === 'misconfigured' ? `: check ${settings}.` : '.';
  const options = { cause: error, retryAfterS: DEFAULT_RETRY_AFTER_S, retryDelayS };
  return new AppError('dependency_unavailable', `The chat model server answered HTTP ${status}${advice}`, options);
}
