import type { Context } from 'koa';
import type { Services } from '#operations/services.ts';
import type { MessageCaller } from '#api/http/request/authenticate-request.ts';
import type { PageTurns } from '#api/http/response/page-turns.ts';

/** What the messages of one HTTP request are answered with. */
export type McpRequest = MessageCaller & {
  services: Services;
  context: Context;
  pages: PageTurns;
  /** Aborts when the client closes the connection. */
  signal: AbortSignal;
  version: string;
};
