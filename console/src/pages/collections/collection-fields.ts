/** Reads the fields of the form; an empty description is left out. */
export function collectionFieldsOf(form: FormData) {
  const description = formText(form, 'description');
  return {
    name: formText(form, 'name'),
    visibility: formText(form, 'public') === '' ? ('private' as const) : ('public' as const),
    ...(description === '' ? {} : { description }),
  };
}

/** The text of a field, without spaces around it. */
export function formText(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value.trim() : '';
}
