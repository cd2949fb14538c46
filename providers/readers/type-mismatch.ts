import { describeType, isTextual, mediaTypeOfName } from '#providers/readers/shared/media-types.ts';

/**
 * Notes for `file_data` when the content of a file, as which it was read, does not match its name. Empty when both
 * match, or the name suggests no type.
 */
export function typeMismatchNotes(name: string, mediaType: string): Readonly<Record<string, string>> {
  const nameType = mediaTypeOfName(name);
  if (nameType === null || isSameKind(nameType, mediaType)) return {};
  return {
    named_type: nameType,
    detected_type: mediaType,
    type_note: `The name says ${describeType(nameType)}; the content is ${describeType(mediaType)} and is read as that.`,
  };
}

/**
 * Differences between plain text formats are expected (Markdown in a `.txt` file); a table or page named like a
 * document is not.
 */
function isSameKind(nameType: string, mediaType: string): boolean {
  if (nameType === mediaType) return true;
  const isPlain = nameType === 'text/plain' && mediaType !== 'text/html';
  return (
    isTextual(nameType) &&
    isTextual(mediaType) &&
    (isPlain || (mediaType === 'text/plain' && !nameType.includes('json')) || nameType.includes('xml'))
  );
}
