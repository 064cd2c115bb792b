/**
 * `service_roles` contains, as JSON, the access of each service's or server's role. `migrations` has the builds for
 * which the owner has prepared the database, each with the access that its roles need. Only the owner of the tables
 * writes to them.
 */
export const roleTables = `
  CREATE TABLE IF NOT EXISTS @@service_roles (role text PRIMARY KEY, access text NOT NULL);
  CREATE TABLE IF NOT EXISTS @@migrations (build text PRIMARY KEY, at bigint NOT NULL, roles text NOT NULL);
`;
