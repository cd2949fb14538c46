import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, generateText, streamText } from 'ai';
import { AppError } from '#domain/app-error.ts';
import type { ChatModel, ChatQuestion } from '#domain/chat-model.ts';

export type ChatModelOptions = {
  /** Address of the API up to and with `/v1`; null: there is no chat model. */
  baseUrl: string | null;
  apiKey: string | null;
  model: string | null;
  /** Longest wait for one answer, in milliseconds. */
  timeoutMs: number;
};

const DEFAULT_RETRY_AFTER_S = 5;
const MISCONFIGURED: ReadonlySet<number> = new Set([401, 403, 404]);
/** Statuses that say that the question itself is not taken: too long for the model, or against a filter. */
const REJECTED: ReadonlySet<number> = new Set([400, 413, 422]);

/**
 * A chat model on any server that speaks the OpenAI API (OpenAI, Ollama, vLLM), or null when none is configured. The address
 * is the operator's, so it may be in a private network. Nothing is retried here, and nothing connects before the first question.
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
        const { text } = await generateText({ model: languageModel, ...settingsFor(question), abortSignal });
        return text;
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        throw asAppError(error, new URL(baseUrl).host);
      }
    },
    async *stream(question, signal) {
      const leaving = new AbortController();
      const abortSignal = within(options.timeoutMs, leaving.signal, signal);
      try {
        const { fullStream } = streamText({
          model: languageModel,
          ...settingsFor(question),
          abortSignal,
          // The failure comes with the stream; by default it would be printed as well.
          onError: () => undefined,
        });
        for await (const part of fullStream) {
          if (part.type === 'text-delta') yield part.text;
          if (part.type === 'error') throw part.error;
          if (part.type === 'abort') throw abortSignal.reason;
        }
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        throw asAppError(error, new URL(baseUrl).host);
      } finally {
        leaving.abort();
      }
    },
  };
}

function settingsFor({ instructions, material, maxOutputTokens }: ChatQuestion) {
  return { system: instructions, prompt: material, maxOutputTokens, temperature: 0, maxRetries: 0 };
}

/** Aborts after a time, or with one of these. */
function within(timeoutMs: number, ...signals: (AbortSignal | undefined)[]): AbortSignal {
  return AbortSignal.any([AbortSignal.timeout(timeoutMs), ...signals.filter((signal) => signal !== undefined)]);
}

/** Says what to do, and nothing of what was asked: servers echo it. */
function asAppError(error: unknown, host: string): AppError {
  const status = APICallError.isInstance(error) ? error.statusCode : undefined;
  const after = APICallError.isInstance(error) ? Number(error.responseHeaders?.['retry-after']) : NaN;
  const retryAfterS = Number.isFinite(after) && after > 0 ? Math.ceil(after) : DEFAULT_RETRY_AFTER_S;
  const options = { cause: error, retryAfterS };
  if (status === undefined) {
    const message = `The chat model server at ${host} cannot be reached or gives no valid answer.`;
    return new AppError('dependency_unavailable', message, options);
  }
  if (REJECTED.has(status)) {
    const message = `The chat model server refused the question (HTTP ${status}).`;
    return new AppError('invalid_request', message, { cause: error });
  }
  const settings = status === 404 ? 'LOCI_CHAT_BASE_URL and LOCI_CHAT_MODEL' : 'LOCI_CHAT_API_KEY';
  const advice = MISCONFIGURED.has(status) ? `: check ${settings}.` : '.';
  return new AppError('dependency_unavailable', `The chat model server answered HTTP ${status}${advice}`, options);
}
