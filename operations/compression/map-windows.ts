/** Opens a text as windows; every call reads it again from the start. */
export type WindowSource = () => AsyncIterable<string>;

/** Windows that are processed, and held in memory, at once. */
const CONCURRENCY = 4;

/** Processes windows a few at a time and holds no others in memory. Returns the results in the order of the windows. */
export async function mapWindows<Result>(
  source: WindowSource,
  work: (text: string, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let held: string[] = [];
  const flush = async () => {
    const first = results.length;
    results.push(...(await Promise.all(held.map((text, at) => work(text, first + at)))));
    held = [];
  };
  for await (const text of source()) {
    held.push(text);
    if (held.length === CONCURRENCY) await flush();
  }
  await flush();
  return results;
}
