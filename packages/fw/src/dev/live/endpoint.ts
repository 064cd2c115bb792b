import type { Outgoing, RawHeaders } from "../../runtime/exchange/exchange.ts";
import { messages } from "../../runtime/error-messages.ts";
import type { Request } from "../../runtime/request.ts";
import { beginStream, sendText } from "../../runtime/response/send.ts";
import { clientScript } from "./client-script.ts";
import { initialState, type LiveState } from "./state.ts";

export const livePrefix = "/_fw/dev/";

/** Renders a page's script tag with the current build and style numbers. */
export function liveTag({ build, styles }: Pick<LiveState, "build" | "styles">): string {
  return `<script type="module" src="${livePrefix}client.js" data-fw-build="${build}" data-fw-styles="${styles}"></script>`;
}

/** Serves `/_fw/dev/…`: the browser script and the event stream of states. */
export class LiveEndpoint {
  #state: LiveState = initialState;
  readonly #streams: Set<Outgoing> = new Set();

  get state(): LiveState {
    return this.#state;
  }

  publish(state: LiveState): void {
    this.#state = state;
    for (const stream of this.#streams) stream.write(event(state));
  }

  /** Responds to a request; `name` is its path without the prefix. */
  answer(request: Request, name: string): void {
    if (name === "client.js") sendText(request, 200, "text/javascript; charset=utf-8", noStore(), clientScript);
    else if (name === "events") this.#stream(request);
    else sendText(request, 404, "text/plain; charset=utf-8", noStore(), messages.notFound);
  }

  close(): void {
    for (const stream of this.#streams) stream.end();
    this.#streams.clear();
  }

  #stream(request: Request): void {
    const { exchange } = request;
    beginStream(request, 200, [...noStore(), "Content-Type", "text/event-stream", "X-Accel-Buffering", "no"]);
    exchange.write(`retry: 300\n\n${event(this.#state)}`);
    this.#streams.add(exchange);
    exchange.onceOver(() => this.#streams.delete(exchange));
  }
}

function event(state: LiveState): string {
  return `data: ${JSON.stringify(state)}\n\n`;
}

function noStore(): RawHeaders {
  return ["Cache-Control", "no-store"];
}
