/** The oldest version of Node that applications can run on. Newer JavaScript syntax is compiled for this version. */
export const oldestNode = "node20.19";
