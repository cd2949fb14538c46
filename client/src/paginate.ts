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

/** Paths whose GET answers a page: of a list with a cursor, or of one that skips. */
export type ListPath = {
  [Path in keyof paths]: PageOf<Path> extends { next_cursor: string | null } | { data: Rows; total_count: number }
    ? ParametersOf<Path> extends { query?: { cursor?: string } | { skip?: number } }
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
  query?: ParametersOf<Path> extends { query?: infer Values } ? Omit<NonNullable<Values>, 'cursor' | 'skip'> : never;
  signal?: AbortSignal;
};

type AnyPage = {
  data?: unknown[];
  chunks?: unknown[];
  contents?: unknown[];
  next_cursor?: string | null;
  total_count?: number;
};
type GetPage = (path: string, init: object) => Promise<Answered<AnyPage>>;

/**
 * Every item of a list, in its order; the next page is asked for when the one before is used up. Lists without a cursor
 * (conversations) are walked by position: what is added or goes meanwhile can show an item twice, or not at all.
 * @throws LociError as soon as a page cannot be had
 */
export async function* paginate<Path extends ListPath>(
  api: LociApi,
  path: Path,
  options: ListOptions<Path> = {},
): AsyncGenerator<ItemOf<Path>, void, undefined> {
  // TypeScript cannot follow one call over all the paths at once; `ListPath` says that each answers a page.
  const get = api.GET as unknown as GetPage;
  const signal = options.signal ? { signal: options.signal } : {};
  let position: { cursor?: string; skip?: number } | null = {};
  let seen = 0;
  while (position !== null) {
    const query: object = { ...options.query, ...position };
    const page: AnyPage = await dataOf(get(path, { params: { path: options.path, query }, ...signal }));
    // The names of its list are those of `ItemOf`.
    const items = (page.data ?? page.chunks ?? page.contents ?? []) as ItemOf<Path>[];
    yield* items;
    seen += items.length;
    position = nextPosition(page, items.length, seen);
  }
}

function nextPosition(page: AnyPage, count: number, seen: number): { cursor?: string; skip?: number } | null {
  if (page.next_cursor !== undefined) return page.next_cursor === null ? null : { cursor: page.next_cursor };
  return count === 0 || seen >= (page.total_count ?? 0) ? null : { skip: seen };
}
