/**
 * `service_roles` has what each role of a service or of a server may reach, as JSON. `migrations` has the builds for
 * which the owner has prepared the database, each with the roles that it needs. Only the owner of the tables writes
 * them.
 */
export const roleTables = `
  CREATE TABLE IF NOT EXISTS @@service_roles (role text PRIMARY KEY, access text NOT NULL);
  CREATE TABLE IF NOT EXISTS @@migrations (build text PRIMARY KEY, at bigint NOT NULL, roles text NOT NULL);
`;
