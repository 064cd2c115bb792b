import type { Current } from "./application.ts";
import type { Documents } from "./documents.ts";

/** What a request about a place in a file is answered from. */
export interface Asked extends Current {
  /** Of the application. */
  readonly root: string;
  /** Of the file, absolute. */
  readonly path: string;
  readonly documents: Documents;
}

/** Answers a request about a file; undefined where there is nothing to say. */
export type Feature = (asked: Asked, params: unknown) => Promise<unknown>;
