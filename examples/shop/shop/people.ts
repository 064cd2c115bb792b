import { Auth, RequireRole, Role } from "fw";

export const auth = Auth({ social: true, password: true });

/** Clerks restock the warehouse. */
export const Clerk = Role("clerk");

export const Stocking = RequireRole(Clerk);
