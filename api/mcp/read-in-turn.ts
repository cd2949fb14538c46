import type { Caller } from '#domain/access/caller.ts';
import type { McpRequest } from './mcp-request.ts';

type AskedPage = {
  /** The most rows that the page can have. */
  limit: number;
  /** How many rows are read has nothing to do with it. */
  isScan?: boolean;
};

/** Reads a page when it is its turn, because pages are large. */
export type InTurn = <Page>(asked: AskedPage, read: () => Promise<Page>) => Promise<Page>;

type TurnOf = AskedPage & {
  caller: Caller;
  /** Of the list, the same for all of its pages. */
  name: string;
};

/** Reads a page of a list when it is its turn, as routes do: its rows are read whole, though little of them is shown. */
export async function readInTurn<Page>(
  { pages, signal }: Pick<McpRequest, 'pages' | 'signal'>,
  { caller, ...asked }: TurnOf,
  read: () => Promise<Page>,
): Promise<Page> {
  const { workspaceId } = caller.scope;
  using turn = await pages.take({ workspaceId, caller: caller.principal, ...asked, signal: () => signal });
  const rows = await read();
  const taken = turn.written(JSON.stringify(rows).length);
  // Only a small part of it is sent.
  taken();
  return rows;
}
