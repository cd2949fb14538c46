import { createHash } from 'node:crypto';
import { HIDDEN_STYLE } from '#providers/readers/shared/html-to-markdown.ts';
import { CODE_LANGUAGE_CLASS } from '#providers/readers/shared/turndown.ts';

/** Elements whose content is not text of the page; much of it changes with every visit. */
const NOT_TEXT: ReadonlySet<string> = new Set(
  'script,style,noscript,template,iframe,object,svg,canvas,audio,video,select,textarea,button,datalist'.split(','),
);
/** Attributes that appear in the extracted text, shape it, or hide it. */
const TEXT_ATTRIBUTES =
  'href,alt,colspan,rowspan,start,hidden,open,aria-hidden,role,epub:type,checked,aria-checked'.split(',');
/** A new version gives every page a new fingerprint. */
const VERSION = 'page-3';

export type PageFingerprint = {
  open(tag: string, attributes: Readonly<Record<string, string>>): void;
  text(text: string): void;
  close(tag: string): void;
  /** Ends the fingerprint. `rest` is included in it. */
  digest(rest: unknown): string;
};

/**
 * Hashes what readers turn into text: elements, their text and the targets of links. Comments, scripts, form values, nonces, and
 * names of classes and files are left out, because they change between visits of a page whose text stays the same.
 */
export function createPageFingerprint(): PageFingerprint {
  const hash = createHash('sha256').update(VERSION);
  let within = 0;
  return {
    open(tag, attributes) {
      if (NOT_TEXT.has(tag)) within += 1;
      if (within > 0 || tag === 'meta' || tag === 'link') return;
      // Of all fields only check boxes are text: `[x]` or `[ ]`.
      if (tag === 'input' && attributes['type']?.toLowerCase() !== 'checkbox') return;
      const shown = TEXT_ATTRIBUTES.flatMap((name) => (attributes[name] === undefined ? [] : [name, attributes[name]]));
      const isInvisible = HIDDEN_STYLE.test(attributes['style'] ?? '');
      const language = CODE_LANGUAGE_CLASS.exec(attributes['class'] ?? '')?.[1] ?? '';
      hash.update(`\0<${tag} ${shown.join('\0')} ${isInvisible} ${language}>`);
    },
    text(text) {
      if (within === 0) hash.update(text);
    },
    close(tag) {
      if (NOT_TEXT.has(tag)) within -= 1;
      else if (within === 0) hash.update(`\0</${tag}>`);
    },
    digest: (rest) => hash.update(JSON.stringify(rest)).digest('hex'),
  };
}
