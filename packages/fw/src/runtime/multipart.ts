import type { IncomingMessage } from "node:http";
import type { FormFields } from "./decode.ts";

export interface Multipart {
  readonly form: FormFields;
  /** Frees memory and temporary files. Call it when the response is over, whatever became of it; repeated calls do nothing. */
  dispose(): Promise<void>;
}

/**
 * Reads a multipart/form-data body. Rejects with a StatusError (400 malformed, 413 too large) or with the connection's
 * error; nothing is left behind then. The rest of the body is unread after a rejection: close the connection.
 */
export declare function readMultipart(req: IncomingMessage): Promise<Multipart>;

/** Deletes what uploads of crashed processes left behind. Call it once at start. */
export declare function sweepUploads(): Promise<void>;
