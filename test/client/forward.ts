import { request as startRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { testStack } from '#test/support/harness/stack.ts';

/** Forwards a request to the running service. */
export function forward(request: IncomingMessage, response: ServerResponse): void {
  const { method, headers, url } = request;
  const onward = startRequest(testStack().baseUrl + url, { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  request.pipe(onward);
}
