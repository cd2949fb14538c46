const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;
const STEP = 1000;

/** Returns a number of bytes as people read it: `1.4 MB`. */
export function formatSize(sizeBytes: number): string {
  const power = sizeBytes < STEP ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(sizeBytes) / 3));
  const style = { style: 'unit', unit: UNITS[power] ?? 'byte', unitDisplay: power === 0 ? 'long' : 'short' } as const;
  const value = sizeBytes / STEP ** power;
  return new Intl.NumberFormat('en', { ...style, maximumFractionDigits: value < 10 && power > 0 ? 1 : 0 }).format(
    value,
  );
}
