import { describeType, isTextual, mediaTypeOfName } from '#providers/readers/shared/media-types.ts';

/**
 * For `file_data`: what the name of a file promises, where its content is something else and was read as that. Empty where
 * both agree, or the name promises nothing.
 */
export function typeMismatchNotes(name: string, mediaType: string): Readonly<Record<string, string>> {
  const promised = mediaTypeOfName(name);
  if (promised === null || isSameKind(promised, mediaType)) return {};
  return {
    named_type: promised,
    detected_type: mediaType,
    type_note: `The name says ${describeType(promised)}; the content is ${describeType(mediaType)} and is read as that.`,
  };
}

/** Different names of texts are no surprise (`.txt` with Markdown in it); a table or page called a document is. */
function isSameKind(promised: string, mediaType: string): boolean {
  if (promised === mediaType) return true;
  const isPlain = promised === 'text/plain' && mediaType !== 'text/html';
  return (
    isTextual(promised) &&
    isTextual(mediaType) &&
    (isPlain || (mediaType === 'text/plain' && !promised.includes('json')) || promised.includes('xml'))
  );
}
