import { join } from "node:path";
import { grouped } from "../lib/grouped.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Documents } from "./documents.ts";
import type { PublishedDiagnostic } from "./protocol.ts";

/** The diagnostics published for each file of an application, so that only changes are sent. */
export class PublishedDiagnostics {
  readonly #root: string;
  readonly #documents: Documents;
  readonly #notify: (method: string, params: unknown) => void;
  /** The parameters of each file's last notification, by absolute path. */
  readonly #sentParams: Map<string, string> = new Map();

  constructor(root: string, documents: Documents, notify: (method: string, params: unknown) => void) {
    this.#root = root;
    this.#documents = documents;
    this.#notify = notify;
  }

  /** Publishes the current diagnostics. Clears files that no longer have any. */
  replace(diagnostics: readonly Diagnostic[]): void {
    const byPath = grouped(diagnostics, ({ at }) => join(this.#root, at.path));
    for (const path of new Set([...this.#sentParams.keys(), ...byPath.keys()]))
      this.#send(path, byPath.get(path) ?? []);
  }

  #send(path: string, diagnostics: readonly Diagnostic[]): void {
    const document = this.#documents.get(path);
    const version = document === undefined ? {} : { version: document.version };
    const params = {
      uri: this.#documents.uriOf(path),
      ...version,
      diagnostics: diagnostics.map((diagnostic) => publishedDiagnostic(this.#root, this.#documents, diagnostic)),
    };
    const text = JSON.stringify(params);
    if (this.#sentParams.get(path) === text) return;
    this.#sentParams.set(path, text);
    this.#notify("textDocument/publishDiagnostics", params);
  }
}

/** Converts a diagnostic for an editor; the hint is part of the message. */
export function publishedDiagnostic(
  root: string,
  documents: Documents,
  { code, at, message, hint, severity, related = [] }: Diagnostic,
): PublishedDiagnostic {
  const others = related.map((place) => ({ location: documents.locationOf(root, place.at), message: place.message }));
  return {
    range: documents.locationOf(root, at).range,
    severity: severity === "warning" ? 2 : 1,
    code,
    source: "fw",
    message: hint === undefined ? message : `${message}\n${hint}`,
    ...(others.length > 0 ? { relatedInformation: others } : {}),
  };
}
