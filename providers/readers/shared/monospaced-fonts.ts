/** Faces whose characters are all of one width, by name: Courier, DejaVu Sans Mono, Consolas, and TeX's CMTT10. */
export const MONOSPACED_FONT_NAME =
  /mono(?!t)|courier|consola|menlo|monaco|typewriter|inconsolata|source ?code|fira ?code|lucida ?con|^(?:\w+\+)?(?:cm|sf|lm|ec)\w?tt/i;

/** More of a document's characters in such a face are how it is typed, not code. */
export const MAX_MONOSPACED_SHARE = 0.5;
