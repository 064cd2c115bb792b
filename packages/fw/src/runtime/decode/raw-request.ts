import type { Blob } from "../../declare/blob.ts";
import type { RequestFields } from "./header-cookie.ts";

/** What a generated decoder reads from. */
export interface RawRequest {
  /** Decoded values of the `{param}` segments, in order. */
  readonly params: readonly string[];
  /** The query string without its question mark, still encoded; "" when there is none. */
  readonly query: string;
  /** The parsed JSON body, or all of it unread; undefined when the endpoint carries none. */
  readonly body: unknown;
  /** The form; undefined when the endpoint carries none. */
  readonly form: FormFields | undefined;
  /** The headers and cookies; undefined where the endpoint binds none. */
  readonly fields: RequestFields | undefined;
}

/** A decoded form: every value by name in order of arrival, and every file by name. */
export interface FormFields {
  readonly values: ReadonlyMap<string, readonly string[]>;
  readonly files: ReadonlyMap<string, readonly Blob[]>;
}
