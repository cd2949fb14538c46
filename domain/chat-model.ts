/** A chat model, local or remote. */
export interface ChatModel {
  /** Name of the model on its server. */
  readonly name: string;
  /** Tokens that it may use for reasoning in each answer, in addition to those of the question. */
  readonly reasoningTokens: number;
  /**
   * Returns the model's answer to one question. One that reached the limit of length ends with its last whole sentence, unless
   * it is JSON. The reasoning of the model is left out.
   * @throws AppError `dependency_unavailable` when the server is unavailable, rejects the settings, takes too long, or gives up;
   * `invalid_request` when it rejects this question, stops its answer by a filter, or needs all its tokens for reasoning, so that a
   * retry would fail as well.
   */
  complete(question: ChatQuestion, signal?: AbortSignal): Promise<string>;
  /**
   * Streams the answer as the model writes it. When the caller stops reading, the request is cancelled. An answer that
   * exceeds the time limit, is given up by its server, or ends without saying why, is `dependency_unavailable` as well.
   */
  stream(question: ChatQuestion, signal?: AbortSignal): AsyncIterable<ChatPiece>;
}

/** Why an answer ended: it is complete, reached a limit of length, or was stopped by a filter of the server. */
export type ChatFinish = 'stop' | 'length' | 'content_filter';

/**
 * `finish`: null before the last piece. `restarts`: the pieces before were reasoning, and the answer begins with this one. Who has shown
 * them fails with `REASONING_SHOWN`.
 */
export type ChatPiece = { text: string; finish: ChatFinish | null; restarts?: boolean };

export type ChatQuestion = {
  /** The task, from the system. */
  instructions: string;
  /** The text to work on. It comes from users and must never be treated as instructions. */
  material: string;
  maxOutputTokens: number;
  /** Whether the answer is to be JSON. */
  isJson?: boolean;
};

/** Why an answer cannot go on whose reasoning was shown as the answer. */
export const REASONING_SHOWN =
  'The chat model server sends the reasoning of its model as the answer: ' +
  'set its reasoning parser (vLLM and SGLang: --reasoning-parser, llama.cpp: --reasoning-format).';

/** Why a model that reached the limit of length wrote no answer. `maxOutputTokens`: those of the question, without reasoning. */
export function outOfTokens({ reasoningTokens }: Pick<ChatModel, 'reasoningTokens'>, maxOutputTokens: number): string {
  return (
    `The chat model used all ${maxOutputTokens + reasoningTokens} tokens before it wrote an answer, as models that reason do. ` +
    `Turn its reasoning off, or set LOCI_CHAT_REASONING_TOKENS higher (now ${reasoningTokens}).`
  );
}

/**
 * Extracts the JSON array from a model's answer, where text or a code block may surround it; of one that was cut off, the elements
 * that are complete. Null when there is none.
 */
export function parseJsonArray(answer: string): unknown[] | null {
  const start = answer.indexOf('[');
  if (start < 0) return null;
  const whole = parseArray(answer.slice(start, answer.lastIndexOf(']') + 1));
  if (whole !== null) return whole;
  const end = endOfElements(answer, start);
  return end === null ? null : parseArray(`${answer.slice(start, end)}]`);
}

function parseArray(text: string): unknown[] | null {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** Where the last complete element of the array at `start` ends; null without one. A number may go on until something follows it. */
function endOfElements(text: string, start: number): number | null {
  let [depth, end]: [number, number | null] = [0, null];
  const tokens = /"(?:[^"\\]|\\.)*("|$)|[[\]{},]/gsu;
  tokens.lastIndex = start;
  for (const { 0: token, 1: quote, index } of text.matchAll(tokens)) {
    if (token === '[' || token === '{') depth += 1;
    if (token === ']' || token === '}') depth -= 1;
    if (depth === 0) return index;
    if (depth > 1) continue;
    if (token === ',') end = index;
    else if (quote === '"' || token === '}' || token === ']') end = index + token.length;
  }
  return end;
}
