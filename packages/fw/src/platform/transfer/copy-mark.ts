/** The kind of the document that marks a target until its copy is complete. No server starts while it exists. */
export const copyMarkKind = "_fw_copy";
