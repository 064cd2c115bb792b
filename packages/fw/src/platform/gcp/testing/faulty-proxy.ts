import { createServer, request as connect, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/**
 * A fault: an error response, a broken connection or no response. With `answerLostOnce`, the request takes effect, and
 * the response is a 503 once the promise settles. With `arrivesOnce`, the response is a 503, and the request takes
 * effect once the promise settles.
 */
export type Mishap =
  | "429"
  | "503"
  | "503 after"
  | "reset before"
  | "reset after"
  | "no answer"
  | { readonly answerEndsAfter: number }
  | { readonly answerLostOnce: Promise<unknown> }
  | { readonly arrivesOnce: Promise<unknown>; readonly arrived: () => void };

/** Returns the fault for a request, if any. */
export type Mishaps = (request: { readonly method: string; readonly url: URL }) => Mishap | undefined;

/** Starts a proxy in front of a cloud, for the current test. Returns its URL. */
export async function faultyProxy(target: string, mishaps: Mishaps): Promise<string> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", target);
    const mishap = mishaps({ method: request.method ?? "", url });
    if (mishap === "reset before") return void request.socket.destroy();
    if (mishap === "no answer") return void request.resume();
    if (mishap === "429" || mishap === "503") return fail(request, response, Number(mishap));
    if (typeof mishap === "object" && "arrivesOnce" in mishap) return void deliverLate(url, request, response, mishap);
    pass(url, request, response, mishap);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Responds with 503 and executes the request later, once `arrivesOnce` resolves. */
async function deliverLate(
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
  { arrivesOnce, arrived }: Extract<Mishap, { arrivesOnce: unknown }>,
): Promise<void> {
  const body = await buffer(request);
  fail(request, response, 503);
  await arrivesOnce;
  const outgoing = connect(url, { method: request.method ?? "GET", headers: request.headers }, (answer) => {
    answer.resume().once("end", arrived);
  });
  outgoing.on("error", arrived);
  outgoing.end(body);
}

function pass(url: URL, request: IncomingMessage, response: ServerResponse, mishap: Mishap | undefined): void {
  const outgoing = connect(url, { method: request.method ?? "GET", headers: request.headers }, (answer) => {
    if (mishap === "503 after" || mishap === "reset after") {
      answer.resume();
      answer.once("end", () => (mishap === "reset after" ? request.socket.destroy() : fail(request, response, 503)));
      return;
    }
    if (typeof mishap === "object" && "answerLostOnce" in mishap) {
      answer.resume().once("end", () => void mishap.answerLostOnce.then(() => fail(request, response, 503)));
      return;
    }
    response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
    let remainingBytes = typeof mishap === "object" && "answerEndsAfter" in mishap ? mishap.answerEndsAfter : Infinity;
    answer.on("data", (bytes: Buffer) => {
      response.write(bytes.subarray(0, remainingBytes));
      remainingBytes -= bytes.byteLength;
      if (remainingBytes < 0) response.write("", () => request.socket.destroy());
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
