// The look of the console: one accent colour, one type scale, steps of 8 pixels. The colours of the two schemes are in tokens.css.
import type { MantineColorsTuple } from '@mantine/core';
import { createTheme } from '@mantine/core';
import { firstMatches } from '../parts/form/firstMatches.ts';

const accent: MantineColorsTuple = [
  '#eef2ff',
  '#dde4fb',
  '#b9c6f3',
  '#92a6ec',
  '#718be6',
  '#5d7ae2',
  '#4263d6',
  '#3454bd',
  '#2c4aa8',
  '#1f3d94',
];

/** The neutral scale of the dark scheme: text first, then lines and grounds, with a trace of the accent's blue. */
const dark: MantineColorsTuple = [
  '#d5dae3',
  '#b4bcc9',
  '#a0a9b8',
  '#7d8797',
  '#3a414e',
  '#2b303a',
  '#222731',
  '#1a1e25',
  '#14171c',
  '#0e1116',
];

/** The list itself scrolls, not a box in it that the keyboard cannot reach. */
const SCROLLED_LIST = { withScrollArea: false, styles: { options: { maxHeight: 220, overflowY: 'auto' } } } as const;

export const theme = createTheme({
  primaryColor: 'accent',
  primaryShade: { light: 7, dark: 6 },
  colors: { accent, dark },
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, monospace',
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '20px', lineHeight: '28px' },
      h2: { fontSize: '14px', lineHeight: '20px' },
      h3: { fontSize: '13px', lineHeight: '20px' },
    },
  },
  spacing: { xs: '8px', sm: '12px', md: '16px', lg: '24px', xl: '32px' },
  radius: { sm: '4px', md: '6px', lg: '8px' },
  defaultRadius: 'md',
  cursorType: 'pointer',
  autoContrast: true,
  components: {
    Button: { defaultProps: { size: 'xs' } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } },
    TextInput: { defaultProps: { size: 'sm' } },
    Select: { defaultProps: { size: 'sm', allowDeselect: false, filter: firstMatches, ...SCROLLED_LIST } },
    TagsInput: { defaultProps: SCROLLED_LIST },
    Table: { defaultProps: { verticalSpacing: 6, horizontalSpacing: 'sm', fz: 'sm' } },
    Modal: {
      defaultProps: {
        centered: true,
        overlayProps: { backgroundOpacity: 0.4 },
        // Its header element would count as a second banner of the page.
        attributes: { header: { role: 'presentation' } },
      },
    },
    CloseButton: { defaultProps: { 'aria-label': 'Close' } },
    Tooltip: { defaultProps: { openDelay: 300, withArrow: true } },
  },
});
