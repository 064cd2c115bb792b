import { Auth, RequireRole, Role } from "fw";

export const auth = Auth({ password: true });

/** May remove what others wrote. */
export const Host = Role("host");
export const IsHost = RequireRole(Host);
