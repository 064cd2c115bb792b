import type { ApplicationState } from "./application.ts";
import type { Documents } from "./documents.ts";

/** The state that requests about a position use. */
export interface RequestContext extends ApplicationState {
  readonly root: string;
  /** The file, absolute. */
  readonly path: string;
  readonly documents: Documents;
}

/** Responds to a request about a file; undefined for no result. */
export type Feature = (context: RequestContext, params: unknown) => Promise<unknown>;
