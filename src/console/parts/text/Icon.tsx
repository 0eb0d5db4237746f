// The icons: strokes on a grid of 16. A word always stands beside them, so they are hidden from screen readers.
const PATHS = {
  home: 'M2.5 7.5 8 3l5.5 4.500V13h-4V9.500h-3V13h-4z',
  catalog: 'M2.5 3.500h4l1.5 2h5.500v7h-11zM5 9h6',
  webhook: 'M3 8h6M6.5 4.5 10 8l-3.5 3.500M12.5 3v10',
  upgrade: 'M8 13V4M4.5 7.5 8 4l3.5 3.500M3 13.500h10',
  download: 'M8 3v8.500M4.5 8 8 11.5 11.5 8M3 13.500h10',
  upload: 'M8 11.500V3M4.5 6.5 8 3l3.5 3.500M3 13.500h10',
  users: 'M8 7.500a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM3 13.500c.5-2.7 2.5-4 5-4s4.5 1.3 5 4',
  key: 'M5.5 13.500a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM7.6 8.4 13.5 2.500M10.5 5.500l2.500 2.500',
  audit: 'M4 2.500h8v11H4zM6 5.500h4M6 8h4M6 10.500h2.5',
  file: 'M4 2.500h5L12 5.500v8H4zM9 2.500v3h3',
  flask: 'M6.5 2.500h3M7 2.500v4L3.5 13h9L9 6.500v-4M5 10.500h6',
  check: 'M3.5 8.5 6.5 11.5 12.5 5',
  cross: 'M4.5 4.500l7 7M11.5 4.500l-7 7',
  warning: 'M8 3 14 13H2zM8 6.500v3M8 11.300h.01',
  info: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 7.500V11M8 5.200h.01',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.800V8l2.2 1.5',
  play: 'M5 3.500v9l7-4.500z',
  pause: 'M5.5 3.500v9M10.5 3.500v9',
  stop: 'M4.5 4.500h7v7h-7z',
  spin: 'M8 2.500A5.5 5.5 0 1 1 2.5 8',
  undo: 'M5.5 3.5 2.5 6.500l3 3M3 6.500h6a3.5 3.5 0 0 1 0 7H6.5',
  repeat: 'M12.5 6A5 5 0 0 0 3.6 5.500M3.5 10a5 5 0 0 0 8.9.500M3.3 2.800v2.900h2.900M12.7 13.200v-2.900H9.8',
  copy: 'M5.5 5.500h7v8h-7zM3.5 10.500v-8h7',
  search: 'M7 11.500A4.5 4.5 0 1 0 7 2.500a4.5 4.5 0 0 0 0 9zM10.3 10.3 13.5 13.5',
  lock: 'M4 7.500h8v6H4zM5.5 7.500V5a2.5 2.5 0 0 1 5 0v2.5',
  globe: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM2 8h12M8 2c2 2 2.5 4 2.5 6S10 12 8 14c-2-2-2.5-4-2.5-6S6 4 8 2z',
  folder: 'M2.5 4h4l1.5 1.500h5.500V12.500h-11z',
  sun: 'M8 10.500a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM8 2v1.500M8 12.500V14M2 8h1.500M12.5 8H14M3.8 3.800l1 1M11.2 11.200l1 1M12.2 3.800l-1 1M4.8 11.200l-1 1',
  moon: 'M12.5 9.500A5 5 0 0 1 6.5 3.500a5 5 0 1 0 6 6z',
  out: 'M9.5 3h-6v10h6M7 8h7M11.5 5.5 14 8l-2.5 2.5',
  plus: 'M8 3.500v9M3.5 8h9',
  trash: 'M3.5 4.500h9M6.5 4.500V3h3v1.500M5 4.500l.5 8.500h5l.5-8.5',
  edit: 'M3.5 12.500v-2.300l7-7 2.3 2.3-7 7z',
  toRight: 'M2.5 8h11M10 4.5 13.5 8 10 11.5',
  toLeft: 'M13.5 8h-11M6 4.5 2.5 8 6 11.5',
  down: 'M3.5 6 8 10.5 12.5 6',
  dot: 'M8 9.500a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3z',
  database: 'M3 4.500C3 3 13 3 13 4.500v7c0 1.5-10 1.5-10 0zM3 4.500C3 6 13 6 13 4.500M3 8c0 1.5 10 1.5 10 0',
  box: 'M8 2.5 13.5 5.500v5L8 13.5 2.5 10.500v-5zM2.5 5.5 8 8.500l5.5-3M8 8.500v5',
  send: 'M2.5 8 13.5 3l-3.5 10.5-2.5-4z',
  list: 'M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.01M2.5 8h.01M2.5 12h.01',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.4}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className={name === 'spin' ? 'icon turning' : 'icon'}
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
