import { Presets, SingleBar } from 'cli-progress';

export type ProgressLine = {
  update(value: number, text: string): void;
  /** Raises the total. */
  grow(total: number): void;
  stop(): void;
};

/** Shows a progress bar on standard error if it is a terminal; otherwise does nothing. */
export function startProgress(title: string, total: number, isShown: boolean): ProgressLine {
  const nothing = () => undefined;
  if (!isShown || total === 0 || !process.stderr.isTTY) return { update: nothing, grow: nothing, stop: nothing };
  const format = `${title} {bar} {value}/{total} {text}`;
  const bar = new SingleBar({ format, stream: process.stderr, hideCursor: true, barsize: 30 }, Presets.shades_classic);
  bar.start(total, 0, { text: '' });
  return {
    update: (value, text) => bar.update(value, { text }),
    grow: (more) => bar.setTotal(more),
    stop: () => bar.stop(),
  };
}
