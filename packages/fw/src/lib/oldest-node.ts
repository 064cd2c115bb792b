/** The oldest version of Node that applications support. Newer JavaScript syntax is compiled to this version's. */
export const oldestNode = "node20.19";
