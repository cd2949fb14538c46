/** Outlines of 24 × 24, drawn with a stroke. */
const PATHS = {
  collections: 'M4 6h16M4 6v12a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2V6M6 3h12M9 11h6',
  document: 'M14 3v5h5M14 3H7a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2V8zM9 13h6M9 17h4',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM20 20l-4-4',
  ask: 'M4 5h16v11H11l-4 4v-4H4zM9 9.5h6M9 12.5h3',
  conversation: 'M3 4h12v8H8l-3 3v-3H3zM9 15.5h6.5l3 3v-3H21V8h-3',
  plus: 'M12 5v14M5 12h14',
  more: 'M4.5 12h1M11.5 12h1M18.5 12h1',
  archive: 'M3 5h18v4H3zM5 9v9a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2V9M10 13h4',
  restore: 'M4 12a8 8 0 1 0 2.5-5.8M4 4v5h5',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2v2M12 20v2M4.9 4.9l1.4 1.4M17.7 17.7l1.4 1.4M2 12h2M20 12h2M4.9 19.1l1.4-1.4M17.7 6.3l1.4-1.4',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z',
  system: 'M3 5h18v11H3zM8 20h8M12 16v4',
  memory: 'M7 3h10a1 1 0 0 1 1 1v17l-6-4-6 4V4a1 1 0 0 1 1-1z',
  health: 'M3 12h4l3-7 4 14 3-7h4',
  key: 'M15 9a3 3 0 1 0 0-.01M12.5 11 5 18.5V21h2.5v-2H10v-2.5l4.5-4',
  user: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 20.5c.8-3.8 3.9-5.5 8-5.5s7.2 1.7 8 5.5',
  webhook:
    'M12 8.5a3.5 3.5 0 1 0-2.6-1.2L6 14M8.5 17a3.5 3.5 0 1 1-3-3.4M8.5 17H17M15.5 17a3.5 3.5 0 1 0 1.6-3L13.5 7.6',
  alert: 'M12 8v5M12 16.5v.01M12 3 2.5 20h19z',
  check: 'M5 12.5 10 17.5 19 7',
  copy: 'M9 9h10v12H9zM5 15V3h10',
  external: 'M14 4h6v6M20 4l-9 9M18 14v5a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V7a1 1 0 0 1 1-1h5',
  download: 'M12 4v12M7 11l5 5 5-5M4 16v3a1 1 0 0 0 1 1h14a1 1 0 0 0 1-1v-3',
  upload: 'M12 16V4M7 9l5-5 5 5M4 16v3a1 1 0 0 0 1 1h14a1 1 0 0 0 1-1v-3',
  edit: 'M4 20l1-5L16 4l4 4L9 19zM13.5 6.5l4 4',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5',
  link: 'M10 14a4 4 0 0 0 5.7 0l3-3a4 4 0 0 0-5.7-5.7l-1 1M14 10a4 4 0 0 0-5.7 0l-3 3A4 4 0 0 0 11 18.7l1-1',
  folder: 'M3 6a1 1 0 0 1 1-1h5l2 3h9a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1z',
  chevron: 'M9 6l6 6-6 6',
  close: 'M6 6l12 12M18 6 6 18',
  pause: 'M9 5v14M15 5v14',
  play: 'M7 5l12 7-12 7z',
} as const;
export type IconName = keyof typeof PATHS;

/** A picture that says nothing a text beside it, or the label of its button, does not say. */
export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.75}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
