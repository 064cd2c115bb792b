import type { Blob } from "../../declare/blob.ts";
import type { RequestFields } from "./header-cookie.ts";

export interface RawRequest {
  /** Decoded values of the `{param}` segments, in order. */
  readonly params: readonly string[];
  /** The query string without its question mark, still encoded; "" if there is none. */
  readonly query: string;
  /** The parsed JSON body, or the complete raw body; undefined if there is none or the endpoint takes none. */
  readonly body: unknown;
  /** The form; undefined if the endpoint takes none. */
  readonly form: FormFields | undefined;
  /** The headers and cookies; undefined if the endpoint binds none. */
  readonly fields: RequestFields | undefined;
}

/** A decoded form: every value by name in order of arrival, and every file by name. */
export interface FormFields {
  readonly values: ReadonlyMap<string, readonly string[]>;
  readonly files: ReadonlyMap<string, readonly Blob[]>;
}
