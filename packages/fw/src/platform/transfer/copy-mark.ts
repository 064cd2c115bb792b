/**
 * The kind of the document that marks a target until its copy is complete. `fw serve` does not start while it exists.
 */
export const copyMarkKind = "_fw_copy";
