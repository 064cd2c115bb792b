import { readdirSync, readFileSync } from "node:fs";

/** An API's discovery document in the folder `discovery`. */
export interface Document {
  readonly name: string;
  readonly version: string;
  readonly rootUrl: string;
  readonly servicePath: string;
  /** The query parameters of every method. */
  readonly parameters: Readonly<Record<string, Schema>>;
  readonly methods: Readonly<Record<string, MethodDescription>>;
  readonly schemas: Readonly<Record<string, Schema>>;
}

export interface MethodDescription {
  readonly httpMethod: string;
  readonly path: string;
  readonly parameters: Readonly<Record<string, Parameter>>;
  readonly request?: { readonly $ref: string };
  readonly mediaUpload?: { readonly protocols: Readonly<Record<string, { readonly path: string }>> };
}

export interface Parameter extends Schema {
  readonly location: "path" | "query";
  readonly pattern?: string;
  readonly required?: boolean;
  readonly repeated?: boolean;
}

export interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly $ref?: string;
  readonly id?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly readOnly?: boolean;
}

const folder = new URL("../../discovery/", import.meta.url);

/** Returns the discovery documents, which are read once. */
export function documents(): readonly Document[] {
  read ??= readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name) => JSON.parse(readFileSync(new URL(name, folder), "utf8")) as Document);
  return read;
}

let read: readonly Document[] | undefined;
