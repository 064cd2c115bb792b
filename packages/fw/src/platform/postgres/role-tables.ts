/**
 * `service_roles` has the access of each service's or server's role as JSON. `migrations` has the builds that the
 * database is prepared for, with the access of their roles. Only the owner of the tables writes to them.
 */
export const roleTables = `
  CREATE TABLE IF NOT EXISTS @@service_roles (role text PRIMARY KEY, access text NOT NULL);
  CREATE TABLE IF NOT EXISTS @@migrations (build text PRIMARY KEY, at bigint NOT NULL, roles text NOT NULL);
`;
