/**
 * Unsaved file contents of an editor by absolute path; they take precedence over the disk. Update it before you report
 * a change.
 */
export type Unsaved = ReadonlyMap<string, string>;

/** No unsaved files: the contents on disk count. */
export const allSaved: Unsaved = new Map();
