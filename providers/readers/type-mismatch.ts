import { describeType, isTextual, mediaTypeOfName } from '#providers/readers/shared/media-types.ts';

/**
 * Notes for `file_data` when the content of a file, as which it was read, does not match its name. Empty when both
 * match, or the name suggests no type.
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

/**
 * Differences between plain text formats are expected (Markdown in a `.txt` file); a table or page named like a
 * document is not.
 */
function isSameKind(promised: string, mediaType: string): boolean {
  if (promised === mediaType) return true;
  const isPlain = promised === 'text/plain' && mediaType !== 'text/html';
  return (
    isTextual(promised) &&
    isTextual(mediaType) &&
    (isPlain || (mediaType === 'text/plain' && !promised.includes('json')) || promised.includes('xml'))
  );
}
