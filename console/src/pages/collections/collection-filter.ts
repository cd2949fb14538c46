/** Which collections are shown. By default the active ones. */
export type CollectionFilter = { status?: 'archived' | 'all' | undefined; search?: string | undefined };
