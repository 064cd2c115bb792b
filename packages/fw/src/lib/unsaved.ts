/**
 * Unsaved file contents in an editor, by absolute path; they take precedence over files on disk. Update it before
 * reporting a change.
 */
export type Unsaved = ReadonlyMap<string, string>;

/** No unsaved files: the contents on disk apply. */
export const allSaved: Unsaved = new Map();
