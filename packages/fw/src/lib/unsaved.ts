/**
 * Contents of files that are unsaved in an editor, by absolute path. They take precedence over files on disk. Update
 * the map before reporting a change.
 */
export type Unsaved = ReadonlyMap<string, string>;

/** Used when no file is unsaved, so that the contents on disk apply. */
export const allSaved: Unsaved = new Map();
