import { CloseButton, type CSSVariablesResolver, createTheme, Drawer, Input, Modal, Pill } from '@mantine/core';
import { shellTexts } from '../texts/shell-texts.ts';

/** The heading of a dialog is no banner of the page. */
const DIALOG = {
  attributes: { header: { role: 'presentation' } },
  closeButtonProps: { 'aria-label': shellTexts.close },
};
const DIALOG_STYLES = { title: { fontWeight: 650, fontSize: 'var(--mantine-font-size-lg)' } };
/** What a finger can hit (WCAG 2.2, 2.5.8); the library's own are 22 px high. */
const TARGET_PX = 24;
const TARGET_STYLES = { root: { minWidth: TARGET_PX, minHeight: TARGET_PX } };

export const theme = createTheme({
  primaryColor: 'indigo',
  // Shades on which white text has a contrast of 4.5 and more.
  primaryShade: { light: 7, dark: 8 },
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Open Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  headings: { fontWeight: '650' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Modal: Modal.extend({ defaultProps: DIALOG, styles: DIALOG_STYLES }),
    Drawer: Drawer.extend({ defaultProps: DIALOG, styles: DIALOG_STYLES }),
    // The button that removes it is as high as the pill.
    Pill: Pill.extend({ styles: { root: { height: TARGET_PX } } }),
    CloseButton: CloseButton.extend({ styles: TARGET_STYLES }),
    InputClearButton: Input.ClearButton.extend({ styles: TARGET_STYLES }),
  },
});

/** Secondary text and links of the library's own palette are too pale to read, also on a marked row (WCAG 2.2, 1.4.3). */
export const resolveCssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-anchor': 'var(--mantine-color-indigo-8)',
    '--mantine-color-dimmed': '#5c636a',
    '--mantine-color-placeholder': '#6b7278',
    '--mantine-color-error': '#c92a2a',
  },
  dark: {
    '--mantine-color-dimmed': '#a6a7ab',
    '--mantine-color-placeholder': '#909296',
    '--mantine-color-error': '#ff8787',
  },
});
