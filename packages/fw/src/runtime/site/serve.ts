import type { IncomingMessage, ServerResponse } from "node:http";
import type { Asset, SiteRedirect } from "./files.ts";

export interface SendAssetOptions {
  /** Changes an HTML document on its way out (the dev loop's script); its ETag is that of the result. */
  readonly document?: (html: string) => string;
}

/** Sends a static file: 200, 206, 304, 416, or 405 for other methods than GET and HEAD. Rejects when the file cannot be read. */
export async function sendAsset(_req: IncomingMessage, _res: ServerResponse, _asset: Asset, _options: SendAssetOptions = {}): Promise<void> {}

/** Answers 301 to where a redirect leads. */
export function sendRedirect(_req: IncomingMessage, _res: ServerResponse, _redirect: SiteRedirect): void {}
