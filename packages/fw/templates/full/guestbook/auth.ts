import { Auth, RequireRole, Role } from "fw";

export const auth = Auth({ password: true });

/** Hosts can remove any entry. */
export const Host = Role("host");
export const IsHost = RequireRole(Host);
