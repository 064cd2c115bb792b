/**
 * The oldest version of Node that applications run on: what newer JavaScript they are written in becomes what it knows.
 */
export const oldestNode = "node20.19";
