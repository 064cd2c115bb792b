/** The declaration kinds and the names they are imported by from `fw`. */
export const declarationKinds = {
  API: "api",
  Page: "page",
  Site: "site",
  Service: "service",
  StatusPage: "status",
  Entity: "entity",
  Auth: "auth",
  Role: "role",
  Policy: "policy",
  RequireRole: "policy",
  Secret: "secret",
  Bucket: "bucket",
  Queue: "queue",
  Worker: "worker",
  Topic: "topic",
  Subscribe: "subscribe",
  Cron: "cron",
  Job: "job",
  Runner: "runner",
  Singleton: "singleton",
} as const;

export type DeclarationName = keyof typeof declarationKinds;
export type DeclarationKind = (typeof declarationKinds)[DeclarationName];

/** True for the name of a function that declares something. */
export function isDeclarationName(name: string): name is DeclarationName {
  return Object.hasOwn(declarationKinds, name);
}
