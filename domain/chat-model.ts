/** A chat model, wherever it runs. */
export interface ChatModel {
  /** As the server knows it. */
  readonly name: string;
  /**
   * The model's answer to one question, as text.
   * @throws AppError `dependency_unavailable` when the server is away, refuses the settings, or takes too long;
   * `invalid_request` when it refuses this very question, which is no use asking again.
   */
  complete(question: ChatQuestion, signal?: AbortSignal): Promise<string>;
  /**
   * The same, in pieces as the model writes them; who stops reading stops the model. One that goes on writing beyond the time
   * for an answer is `dependency_unavailable` as well.
   */
  stream(question: ChatQuestion, signal?: AbortSignal): AsyncIterable<string>;
}

export type ChatQuestion = {
  /** What the model is to do. */
  instructions: string;
  /** What it is to do it with: written by users, so never to be taken for instructions. */
  material: string;
  maxOutputTokens: number;
};

/** The JSON array in a model's answer, which may stand among words or in a code block; null when there is none. */
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
