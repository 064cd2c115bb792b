/** Replaces code of a capability that a bundle lacks, because nothing that the application declares can reach it. */
export const unused: never = undefined as never;
