/** The route label of a request that no declared route answers. */
export const unmatched = "<unmatched>";
