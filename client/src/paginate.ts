import { dataOf, type Answered } from './data-of.ts';
import type { LociApi } from './create-loci-client.ts';
import type { paths } from './schema.ts';

type PageOf<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Page } } } };
}
  ? Page
  : never;

type ParametersOf<Path extends keyof paths> = paths[Path] extends { get: { parameters: infer Parameters } }
  ? Parameters
  : never;

/** Paths whose GET takes a cursor and answers a page. */
export type ListPath = {
  [Path in keyof paths]: PageOf<Path> extends { next_cursor: string | null }
    ? ParametersOf<Path> extends { query?: { cursor?: string } }
      ? Path
      : never
    : never;
}[keyof paths];

/** The list of a page, which is called as what it holds. */
type Rows = readonly unknown[];

/** What the list at this path holds. */
export type ItemOf<Path extends ListPath> =
  PageOf<Path> extends { data: infer List extends Rows }
    ? List[number]
    : PageOf<Path> extends { chunks: infer List extends Rows }
      ? List[number]
      : PageOf<Path> extends { contents: infer List extends Rows }
        ? List[number]
        : never;

/** Parameters of the path, filters of the list and the size of a page. */
export type ListOptions<Path extends ListPath> = {
  path?: ParametersOf<Path> extends { path?: infer Values } ? Values : never;
  query?: ParametersOf<Path> extends { query?: infer Values } ? Omit<NonNullable<Values>, 'cursor'> : never;
  signal?: AbortSignal;
};

type AnyPage = { data?: unknown[]; chunks?: unknown[]; contents?: unknown[]; next_cursor: string | null };
type GetPage = (path: string, init: object) => Promise<Answered<AnyPage>>;

/**
 * Every item of a list, in its order; the next page is asked for when the one before is used up.
 * @throws LociError as soon as a page cannot be had
 */
export async function* paginate<Path extends ListPath>(
  api: LociApi,
  path: Path,
  options: ListOptions<Path> = {},
): AsyncGenerator<ItemOf<Path>, void, undefined> {
  // TypeScript cannot follow one call over all the paths at once; `ListPath` says that each answers a page.
  const get = api.GET as unknown as GetPage;
  let cursor: string | null = null;
  do {
    const query: object = { ...options.query, ...(cursor === null ? {} : { cursor }) };
    const init = { params: { path: options.path, query }, ...(options.signal ? { signal: options.signal } : {}) };
    const page: AnyPage = await dataOf(get(path, init));
    // So do the names of its list: they are those of `ItemOf`.
    yield* (page.data ?? page.chunks ?? page.contents ?? []) as ItemOf<Path>[];
    cursor = page.next_cursor;
  } while (cursor !== null);
}
