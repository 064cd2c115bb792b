import type { IncomingMessage, ServerResponse } from "node:http";
import { isIP } from "node:net";
import { clientScript } from "./client-script.ts";
import type { LiveState } from "./state.ts";

export const livePrefix = "/_fw/dev/";
/** What a page needs in it to be reloaded and to show problems; `build` is the number of the application that made it. */
export function liveTag(build: number): string {
  return `<script type="module" src="${livePrefix}client.js" data-fw-build="${build}"></script>`;
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
  answer(name: string, request: IncomingMessage, response: ServerResponse): void {
    // A page of another site whose name was pointed at this machine must not read the application's source.
    if (!isLocalName(request.headers.host)) refuse(response, 403, "the dev server answers to local names only");
    else if (name === "client.js") sendScript(response);
    else if (name === "events") this.#stream(response);
    else refuse(response, 404, "not found");
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

function refuse(response: ServerResponse, status: number, sentence: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" });
  response.end(sentence);
}

/** Names that no other site can hold: addresses, localhost and names without a dot. */
function isLocalName(host: string | undefined): boolean {
  const name = (host ?? "")
    .replace(/:\d+$/, "")
    .replace(/^\[(.*)\]$/, "$1")
    .toLowerCase();
  return name !== "" && (isIP(name) !== 0 || !name.includes(".") || name.endsWith(".localhost"));
}
