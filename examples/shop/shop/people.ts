import { Auth, RequireRole, Role } from "fw";

export const auth = Auth({ social: true, password: true });

/** Puts goods on the shelves. */
export const Clerk = Role("clerk");

export const Stocking = RequireRole(Clerk);
