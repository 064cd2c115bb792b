import type { Context } from "./context.ts";
import { recordDeclaration } from "./declaration-records.ts";
import type { HTML } from "./html.ts";

/** The error that a `StatusPage` renders. */
export interface Status {
  /** The HTTP status. */
  readonly code: number;
  /** The name of the policy that refused the request; "" if no policy did. */
  readonly policy: string;
  /** The public error message from the handler or the framework. */
  readonly message: string;
}

/** The result of `StatusPage`. */
export interface StatusPageDeclaration {
  /** The kind of declaration. */
  readonly kind: "status";
  /** Renders an error page, which is sent with the error's status. */
  readonly handler: (ctx: Context, status: Status) => HTML | Promise<HTML>;
}

/**
 * Declares how the error responses of a package's pages are rendered; without it, they are plain text. It renders no
 * 404 if the Site has a `notFound` template, and no responses to htmx. It must be exported; at most one per package.
 */
export function StatusPage(handler: StatusPageDeclaration["handler"]): StatusPageDeclaration {
  return recordDeclaration({ kind: "status", handler } as const);
}
