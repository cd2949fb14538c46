/** Duration of each call in milliseconds, by side. */
export type Times<Side extends string> = Record<Side, number[]>;

export type MeasureOptions = {
  /** Number of concurrent clients; each sends its next request after the previous response. */
  clients: number;
  /** Number of calls per side, over all blocks. */
  count: number;
};

const BLOCKS = 10;

/** Measures the sides alternately, in blocks, so that other load affects all of them. The first block is a warm-up. */
export async function measureAlternately<Side extends string>(
  sides: Readonly<Record<Side, () => Promise<void>>>,
  { clients, count }: MeasureOptions,
): Promise<Times<Side>> {
  const names = Object.keys(sides) as Side[]; // the keys of the record
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Times<Side>; // one for each key
  const perBlock = Math.max(clients, Math.ceil(count / BLOCKS));
  for (const name of names) await runBlock(sides[name], { clients, count: perBlock });
  for (let block = 0; block < BLOCKS; block += 1) {
    // The order of the sides alternates.
    const order = block % 2 === 0 ? names : names.toReversed();
    for (const name of order) times[name].push(...(await runBlock(sides[name], { clients, count: perBlock })));
  }
  return times;
}

async function runBlock(call: () => Promise<void>, { clients, count }: MeasureOptions): Promise<number[]> {
  const times: number[] = [];
  let left = count;
  const client = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const startedMs = performance.now();
      await call();
      times.push(performance.now() - startedMs);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return times;
}
