/** The route label of a request that matches no declared route. */
export const unmatched = "<unmatched>";
