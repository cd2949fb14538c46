/** Matches names of monospaced fonts: Courier, DejaVu Sans Mono, Consolas, and TeX's CMTT10. */
export const MONOSPACED_FONT_NAME =
  /mono(?!t)|courier|consola|menlo|monaco|typewriter|inconsolata|source ?code|fira ?code|lucida ?con|^(?:\w+\+)?(?:cm|sf|lm|ec)\w?tt/i;

/** With a larger share of characters in such a font, the whole document is typed in it, not only code. */
export const MAX_MONOSPACED_SHARE = 0.5;
