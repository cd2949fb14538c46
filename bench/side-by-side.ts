/** Milliseconds that each call of a side took. */
export type Times<Side extends string> = Record<Side, number[]>;

export type SideBySide = {
  /** Each waits for its answer before it asks again. */
  clients: number;
  /** Calls of a side, over all blocks. */
  count: number;
};

const BLOCKS = 10;

/** Calls two sides in turn, in blocks, so that whatever else the machine does meets both; a first block is not counted. */
export async function sideBySide<Side extends string>(
  sides: Readonly<Record<Side, () => Promise<void>>>,
  { clients, count }: SideBySide,
): Promise<Times<Side>> {
  const names = Object.keys(sides) as Side[]; // the keys of the record
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Times<Side>; // one for each key
  const perBlock = Math.max(clients, Math.ceil(count / BLOCKS));
  for (const name of names) await runBlock(sides[name], { clients, count: perBlock });
  for (let block = 0; block < BLOCKS; block += 1) {
    // Who goes first changes from block to block.
    const order = block % 2 === 0 ? names : names.toReversed();
    for (const name of order) times[name].push(...(await runBlock(sides[name], { clients, count: perBlock })));
  }
  return times;
}

async function runBlock(call: () => Promise<void>, { clients, count }: SideBySide): Promise<number[]> {
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
