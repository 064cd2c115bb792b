/** Stands for a part of a capability that a bundle doesn't have: its application declares nothing that could reach it. */
export const unused: never = undefined as never;
