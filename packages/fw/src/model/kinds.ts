/** The declaration kinds and the names they are imported by from `fw`. */
export const declarationKinds = {
  API: "api",
  Page: "page",
  Site: "site",
  Service: "service",
  StatusPage: "status",
  Entity: "entity",
} as const;

export type DeclarationName = keyof typeof declarationKinds;
export type DeclarationKind = (typeof declarationKinds)[DeclarationName];

/** Types of `fw` that the analysis gives a meaning, by the name they are imported by. */
export const markerTypes = [
  "Path",
  "Query",
  "Form",
  "Int",
  "Int64",
  "Blob",
  "Json",
  "ID",
  "Index",
  "Transient",
] as const;
export type MarkerType = (typeof markerTypes)[number];
