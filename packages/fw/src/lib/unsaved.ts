/**
 * The texts of files as an editor holds them, by absolute path: they count in the place of what is on disk. Whoever says
 * that one changed has put its text here before.
 */
export type Unsaved = ReadonlyMap<string, string>;

/** Where everything counts as it is on disk. */
export const allSaved: Unsaved = new Map();
