import type { IncomingMessage, ServerResponse } from "node:http";
import type { Blob } from "../declare/blob.ts";

export interface SendBlobOptions {
  /** The route's MaxAge in seconds; 0 for none. */
  readonly maxAge: number;
}

/**
 * Sends a blob: 200, 206, 304 or 416, without a body for HEAD. Resolves when all of it is handed to the socket or the
 * client has gone. Rejects with the reader's error; where headers had been sent the connection is destroyed by then,
 * otherwise the response is untouched and can still become a 500.
 */
export declare function sendBlob(req: IncomingMessage, res: ServerResponse, blob: Blob, options: SendBlobOptions): Promise<void>;
