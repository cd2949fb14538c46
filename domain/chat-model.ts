/** A chat model, local or remote. */
export interface ChatModel {
  /** Name of the model on its server. */
  readonly name: string;
  /**
   * Returns the model's answer to one question. An answer that reached the limit of length ends with its last whole sentence.
   * @throws AppError `dependency_unavailable` when the server is unavailable, rejects the settings, takes too long, or gives up;
   * `invalid_request` when it rejects this question, or stops its answer by a filter, so that a retry would fail as well.
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

/** `finish`: null before the last piece. */
export type ChatPiece = { text: string; finish: ChatFinish | null };

export type ChatQuestion = {
  /** The task, from the system. */
  instructions: string;
  /** The text to work on. It comes from users and must never be treated as instructions. */
  material: string;
  maxOutputTokens: number;
};

/** Extracts the JSON array from a model's answer, where text or a code block may surround it; null when there is none. */
export function parseJsonArray(answer: string): unknown[] | null {
  const start = answer.indexOf('[');
  const end = answer.lastIndexOf(']');
  if (start < 0 || end < start) return null;
  try {
    const value: unknown = JSON.parse(answer.slice(start, end + 1));
    return Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
