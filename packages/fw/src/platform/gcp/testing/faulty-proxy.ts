import { createServer, request as connect, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** What goes wrong with a request: an error in place of its answer, or a connection that ends before or after its effect, or in the middle of its answer, or that stays as it is. */
export type Mishap =
  | "429"
  | "503"
  | "503 after"
  | "reset before"
  | "reset after"
  | "no answer"
  | { readonly answerEndsAfter: number };

/** Tells what goes wrong with a request, if anything does. */
export type Mishaps = (request: { readonly method: string; readonly url: URL }) => Mishap | undefined;

/** The URL of a proxy before a cloud of the test that runs. */
export async function faultyProxy(target: string, mishaps: Mishaps): Promise<string> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", target);
    const mishap = mishaps({ method: request.method ?? "", url });
    if (mishap === "reset before") return void request.socket.destroy();
    if (mishap === "no answer") return void request.resume();
    if (mishap === "429" || mishap === "503") return fail(request, response, Number(mishap));
    pass(url, request, response, mishap);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function pass(url: URL, request: IncomingMessage, response: ServerResponse, mishap: Mishap | undefined): void {
  const outgoing = connect(url, { method: request.method ?? "GET", headers: request.headers }, (answer) => {
    if (mishap === "503 after" || mishap === "reset after") {
      answer.resume();
      answer.once("end", () => (mishap === "reset after" ? request.socket.destroy() : fail(request, response, 503)));
      return;
    }
    response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
    let left = typeof mishap === "object" ? mishap.answerEndsAfter : Infinity;
    answer.on("data", (bytes: Buffer) => {
      response.write(bytes.subarray(0, left));
      left -= bytes.byteLength;
      if (left < 0) response.write("", () => request.socket.destroy());
    });
    answer.once("end", () => response.end());
  });
  outgoing.on("error", () => request.socket.destroy());
  request.pipe(outgoing);
}

function fail(request: IncomingMessage, response: ServerResponse, status: number): void {
  request.resume();
  response.writeHead(status, { "content-type": "text/plain" }).end("try again");
}
