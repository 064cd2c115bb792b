import type { ServerResponse } from "node:http";
import { messages } from "../../runtime/messages.ts";
import { clientScript } from "./client-script.ts";
import type { LiveState } from "./state.ts";

export const livePrefix = "/_fw/dev/";

/** What a page needs in it to be reloaded and to show problems, with the numbers of the state that it was made in. */
export function liveTag({ build, styles }: Pick<LiveState, "build" | "styles">): string {
  return `<script type="module" src="${livePrefix}client.js" data-fw-build="${build}" data-fw-styles="${styles}"></script>`;
}

/** Answers `/_fw/dev/…`: the browser's half of the loop and the stream of states that it listens to. */
export class LiveEndpoint {
  #state: LiveState;
  readonly #streams: Set<ServerResponse> = new Set();

  constructor(state: LiveState) {
    this.#state = state;
  }

  get state(): LiveState {
    return this.#state;
  }

  publish(state: LiveState): void {
    this.#state = state;
    for (const stream of this.#streams) stream.write(event(state));
  }

  /** `name` is what follows the prefix in the request's path. */
  answer(name: string, response: ServerResponse): void {
    if (name === "client.js") sendScript(response);
    else if (name === "events") this.#stream(response);
    else refuse(response);
  }

  close(): void {
    for (const stream of this.#streams) stream.end();
    this.#streams.clear();
  }

  #stream(response: ServerResponse): void {
    response.writeHead(200, {
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    });
    response.write(`retry: 300\n\n${event(this.#state)}`);
    this.#streams.add(response);
    response.on("close", () => this.#streams.delete(response));
  }
}

function event(state: LiveState): string {
  return `data: ${JSON.stringify(state)}\n\n`;
}

function sendScript(response: ServerResponse): void {
  response.writeHead(200, {
    "content-type": "text/javascript; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  response.end(clientScript);
}

function refuse(response: ServerResponse): void {
  response.writeHead(404, { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" });
  response.end(messages.notFound);
}
