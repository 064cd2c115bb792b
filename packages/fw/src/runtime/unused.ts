/** Replaces code of a capability that a bundle lacks. Nothing that the application declares can reach it. */
export const unused: never = undefined as never;
