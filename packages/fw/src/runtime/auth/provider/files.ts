import { contentETag } from "../../../lib/asset-variants.ts";
import { sendEmpty, sendText } from "../../response/send.ts";
import type { Request } from "../../request.ts";
import type { InjectedEndpoint } from "../../routing/injected-endpoint.ts";

/** A script of the sign-in page, read when a browser first asks for it. A browser asks each time whether it is still the same. */
export function scriptEndpoint(read: () => Promise<string> | string): InjectedEndpoint {
  let file: Promise<{ readonly text: string; readonly etag: string }> | undefined;
  const load = async (): Promise<{ readonly text: string; readonly etag: string }> => {
    const text = await read();
    return { text, etag: `"${contentETag(text)}"` };
  };
  return {
    methods: ["GET", "HEAD"],
    async handle(request: Request) {
      const { text, etag } = await (file ??= load());
      const headers = ["Cache-Control", "no-cache", "ETag", etag];
      if (request.exchange.header("if-none-match") === etag) return sendEmpty(request, 304, headers);
      sendText(request, 200, "text/javascript; charset=utf-8", headers, text);
    },
  };
}
