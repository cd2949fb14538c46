import type { Caller } from '#domain/access/caller.ts';
import type { McpRequest } from './mcp-request.ts';

export type TurnOf = {
  caller: Caller;
  /** Of the list, the same for all of its pages. */
  name: string;
  /** The most rows that the page can have. */
  limit: number;
};

/** Reads a page of a list when it is its turn, as routes do: its rows are read whole, though little of them is shown. */
export async function readInTurn<Page>(
  { pages, signal }: Pick<McpRequest, 'pages' | 'signal'>,
  { caller, name, limit }: TurnOf,
  read: () => Promise<Page>,
): Promise<Page> {
  const { workspaceId } = caller.scope;
  using turn = await pages.take({ workspaceId, caller: caller.principal, name, limit, signal: () => signal });
  const page = await read();
  const taken = turn.written(JSON.stringify(page).length);
  // Only a small part of it is sent.
  taken();
  return page;
}
