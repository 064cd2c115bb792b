/** The kind of the document that marks an incomplete copy. `fw serve` does not start while it exists. */
export const copyMarkKind = "_fw_copy";
