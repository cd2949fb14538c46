import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  APICallError,
  generateText,
  InvalidResponseDataError,
  streamText,
  type FinishReason,
  type TextStreamPart,
  type ToolSet,
} from 'ai';
import { AppError } from '#domain/app-error.ts';
import { wholeSentences } from '#domain/chunking/sentences.ts';
import { outOfTokens, type ChatFinish, type ChatModel, type ChatPiece, type ChatQuestion } from '#domain/chat-model.ts';
import { readRefusal } from '#domain/server-refusal.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { ReasoningReader, withoutReasoning, type AnswerText } from './reasoning-reader.ts';

export type ChatModelOptions = {
  /** Base URL of the API, including `/v1`; null without a chat model. */
  baseUrl: string | null;
  apiKey: string | null;
  model: string | null;
  /** Time limit of one answer, in milliseconds; of a streamed one, of each silence. */
  timeoutMs: number;
  /** Tokens that the model may use for reasoning, beside those of its answer; 0 by default. */
  reasoningTokens?: number;
};

const DEFAULT_RETRY_AFTER_S = 5;
/** A model that writes slowly, but all the time, has this many times as long for a streamed answer. */
const STREAM_TIMEOUTS = 5;
/** Why servers say that they gave up an answer: vLLM and SGLang, OpenRouter and Mistral, DeepSeek, Z.ai. */
const BROKEN_OFF = new Set(['abort', 'aborted', 'cancelled', 'error', 'insufficient_system_resource', 'network_error']);
/** What `length` and `content_filter` are called elsewhere. */
const OTHER_NAMES: ReadonlyMap<string, ChatFinish> = new Map([
  ['max_tokens', 'length'],
  ['model_length', 'length'],
  ['safety', 'content_filter'],
  ['sensitive', 'content_filter'],
]);

/**
 * Creates a client of a chat model on any server with the OpenAI API (OpenAI, Ollama, vLLM); null when none is configured. The
 * operator configures its address, so it may be in a private network. Calls are not retried here; the first question connects.
 */
export function createChatModel(options: ChatModelOptions): ChatModel | null {
  const { baseUrl, model, reasoningTokens = 0 } = options;
  if (baseUrl === null || model === null) return null;
  const { host } = new URL(baseUrl);
  const settingsFor = (question: ChatQuestion) =>
    requestOf({ ...options, baseUrl, model, host, reasoningTokens }, question);
  return {
    name: model,
    reasoningTokens,
    async complete(question, signal) {
      try {
        const abortSignal = within(options.timeoutMs, signal);
        const answer = await generateText({ ...settingsFor(question), abortSignal });
        return textOf(answer, { host, reasoningTokens }, question);
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        throw error instanceof AppError ? error : asAppError(error, host);
      }
    },
    async *stream(question, signal) {
      const limits = limitStream(options.timeoutMs, host);
      const abortSignal = AbortSignal.any(signal ? [limits.signal, signal] : [limits.signal]);
      try {
        const { fullStream } = streamText({
          ...settingsFor(question),
          abortSignal,
          // The stream reports the error; the default handler would print it as well.
          onError: () => undefined,
        });
        const answer = new StreamedAnswer(host);
        for await (const part of fullStream) {
          limits.heard();
          if (part.type === 'abort') throw abortSignal.reason;
          yield* answer.read(part);
        }
      } catch (error) {
        if (abortSignal.aborted) throw abortSignal.reason;
        throw error instanceof AppError ? error : asAppError(error, host);
      } finally {
        limits.end();
      }
    },
  };
}

type Server = ChatModelOptions & { baseUrl: string; model: string; host: string; reasoningTokens: number };

function requestOf({ baseUrl, apiKey, model, host, reasoningTokens }: Server, question: ChatQuestion) {
  const maxOutputTokens = question.maxOutputTokens + reasoningTokens;
  const key = apiKey === null ? {} : { apiKey };
  const fetch = boundedFetch(maxOutputTokens, host);
  return {
    model: createOpenAICompatible({ name: 'loci', baseURL: baseUrl, ...key, fetch }).chatModel(model),
    // Servers reject halves of characters, which texts that were cut off may end with.
    system: question.instructions.toWellFormed(),
    prompt: question.material.toWellFormed(),
    maxOutputTokens,
    temperature: 0,
    maxRetries: 0,
  };
}

/** Reads the parts of a streamed answer. */
class StreamedAnswer {
  readonly #host: string;
  readonly #reader = new ReasoningReader();
  #hasText = false;

  constructor(host: string) {
    this.#host = host;
  }

  /** Returns what the part adds to the answer. @throws what it reports */
  *read(part: TextStreamPart<ToolSet>): Generator<ChatPiece> {
    if (part.type === 'text-delta') yield* this.#pieceOf(this.#reader.read(part.text));
    if (part.type === 'finish') {
      yield* this.#pieceOf(this.#reader.end());
      // Every server says why a stream ends: one that only ends was cut off on the way.
      if (part.rawFinishReason === undefined) throw brokenOff(this.#host);
      yield { text: '', finish: toFinish(part, this.#host) };
    }
    if (part.type === 'error')
      throw InvalidResponseDataError.isInstance(part.error) ? brokenOff(this.#host) : part.error;
  }

  *#pieceOf({ text, restarts }: AnswerText): Generator<ChatPiece> {
    if (restarts && this.#hasText) yield { text, finish: null, restarts };
    else if (text !== '') yield { text, finish: null };
    this.#hasText ||= text !== '';
  }
}

type Ended = { finishReason: FinishReason; rawFinishReason: string | undefined };

function textOf(
  answer: Ended & { text: string },
  server: Pick<Server, 'host' | 'reasoningTokens'>,
  { isJson = false, maxOutputTokens }: ChatQuestion,
): string {
  const finish = toFinish(answer, server.host);
  if (finish === 'content_filter')
    throw new AppError('invalid_request', 'The chat model server stopped its answer by a filter.');
  const text = withoutReasoning(answer.text);
  if (finish !== 'length') return text;
  if (text.trim() === '') throw new AppError('invalid_request', outOfTokens(server, maxOutputTokens));
  return isJson ? text : wholeSentences(text);
}

/** What servers call otherwise is the end of the answer, such as `eos_token`. @throws AppError when the server gave it up */
function toFinish({ finishReason, rawFinishReason = '' }: Ended, host: string): ChatFinish {
  const name = rawFinishReason.toLowerCase();
  if (BROKEN_OFF.has(name)) throw brokenOff(host);
  if (finishReason === 'length') return finishReason;
  return finishReason === 'content-filter' ? 'content_filter' : (OTHER_NAMES.get(name) ?? 'stop');
}

function brokenOff(host: string): AppError {
  const message = `The chat model server at ${host} broke off its answer. Try again.`;
  return new AppError('dependency_unavailable', message, { retryAfterS: DEFAULT_RETRY_AFTER_S });
}

/**
 * Limits how long a stream may be silent, and how long it may take. `heard` ends a silence; `end` aborts as well, so that the server
 * stops. The reasons of the signal are errors to throw.
 */
function limitStream(timeoutMs: number, host: string) {
  const stop = new AbortController();
  const giveUp = (what: string) => () =>
    stop.abort(
      new AppError('dependency_unavailable', `The chat model server at ${host} ${what}.`, {
        retryAfterS: DEFAULT_RETRY_AFTER_S,
      }),
    );
  const longestMs = STREAM_TIMEOUTS * timeoutMs;
  const silence = setTimeout(giveUp(`sent nothing for ${timeoutMs / 1000} seconds`), timeoutMs);
  const longest = setTimeout(giveUp(`did not finish within ${longestMs / 1000} seconds`), longestMs);
  return {
    signal: stop.signal,
    heard: () => void silence.refresh(),
    end() {
      clearTimeout(silence);
      clearTimeout(longest);
      stop.abort();
    },
  };
}

/** Returns a signal that aborts after a time, or with one of the given signals. */
function within(timeoutMs: number, ...signals: (AbortSignal | undefined)[]): AbortSignal {
  return AbortSignal.any([AbortSignal.timeout(timeoutMs), ...signals.filter((signal) => signal !== undefined)]);
}

/** Maps an error to an AppError. The message contains nothing of the server's response, which may echo the question. */
function asAppError(error: unknown, host: string): AppError {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof AppError) return cause;
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
