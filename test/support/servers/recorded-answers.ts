/** A recorded response, with the names of the secrets that it may contain. */
export type RecordedAnswer = { request: string; status: number; text: string; mayShow: readonly string[] };

export type RequestOptions = {
  headers?: Record<string, string>;
  json?: unknown;
  body?: RequestInit['body'];
  /** Names of the secrets that this response may contain. */
  mayShow?: readonly string[];
};

export type Recorder = {
  answers: RecordedAnswer[];
  /** Sends a request and records the whole response. Returns its status and body. */
  ask: (method: string, path: string, options?: RequestOptions) => Promise<{ status: number; body: unknown }>;
};

/** Sends requests to an API and records every response, including its headers. */
export function createRecorder(baseUrl: string): Recorder {
  const answers: RecordedAnswer[] = [];
  return {
    answers,
    ask: async (method, path, { headers, json, body, mayShow = [] } = {}) => {
      const type: Record<string, string> = json === undefined ? {} : { 'Content-Type': 'application/json' };
      const sent = json === undefined ? (body ?? null) : JSON.stringify(json);
      const headersSent = { ...type, ...headers };
      const response = await fetch(`${baseUrl}${path}`, { method, headers: headersSent, ...(sent && { body: sent }) });
      const text = await response.text();
      const recorded = `${JSON.stringify([...response.headers])}\n${text}`;
      answers.push({ request: `${method} ${path}`, status: response.status, text: recorded, mayShow });
      const isJson = response.headers.get('Content-Type')?.startsWith('application/json') ?? false;
      return { status: response.status, body: isJson ? (JSON.parse(text) as unknown) : text };
    },
  };
}
