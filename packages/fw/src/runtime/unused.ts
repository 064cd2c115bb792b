/** Replaces a part of a capability that a bundle lacks: nothing that the application declares could reach it. */
export const unused: never = undefined as never;
