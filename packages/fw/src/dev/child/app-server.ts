import type { Socket } from "node:net";
import type { Platform } from "../../platform/contract.ts";
import { createHandler, serveHanded, type Bundle, type Handler, type HandedServer } from "../../runtime/index.ts";
import { LiveEndpoint, liveTag } from "../live/endpoint.ts";
import type { LiveState } from "../live/state.ts";

/** Answers the connections that the dev server hands over, with the newest application. */
export class AppServer {
  csrfKey: Uint8Array = new Uint8Array();
  readonly #live: LiveEndpoint;
  #server: HandedServer | undefined;
  #build = 0;

  constructor(state: LiveState) {
    this.#live = new LiveEndpoint(state);
  }

  /** From the next request on, `bundle` answers; those that have begun stay with the one they began with. */
  use(bundle: Bundle, build: number, platform: Platform | undefined): void {
    this.#build = build;
    const handler = this.#handler(bundle, platform);
    if (this.#server) this.#server.swap(handler);
    else this.#server = serveHanded(handler);
  }

  /** The client may have gone while its connection was on the way. */
  connection(socket: Socket | undefined): void {
    if (socket === undefined) return;
    if (this.#server) this.#server.accept(socket);
    else socket.destroy();
  }

  publish(state: LiveState): void {
    this.#build = Math.max(this.#build, state.build);
    this.#live.publish(state);
  }

  async drain(): Promise<void> {
    this.#live.close();
    await this.#server?.close();
  }

  #handler(bundle: Bundle, platform: Platform | undefined): Handler {
    return createHandler(bundle, {
      mode: "dev",
      csrfKey: this.csrfKey,
      ...(platform && { platform }),
      decorate: (html) => withLiveTag(html, liveTag(this.#build)),
      injected: {
        "dev/": {
          methods: ["GET"],
          handle: ({ req, res }, rest) => this.#live.answer(rest, req, res),
        },
      },
    });
  }
}

/** At the end of the document, where nothing of the page's own waits for it. */
function withLiveTag(html: string, tag: string): string {
  const end = html.lastIndexOf("</body>");
  return end === -1 ? html + tag : html.slice(0, end) + tag + html.slice(end);
}
