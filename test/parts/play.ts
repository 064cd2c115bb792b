import { setTimeout } from "node:timers/promises";
import { WebSocket } from "ws";
import { patienceMs } from "../support/patience.ts";
import type { Cell } from "./application.ts";

/** A running application. */
export interface Played {
  readonly port: number;
  /** Returns the log so far. */
  output(): string;
  /** Runs a cron now and resolves with the exit code of the command. */
  runCron(name: string): Promise<number>;
}

/** Runs all cells, one after another. Returns the response and the effect of each. */
export async function play(app: Played, cells: readonly Cell[]): Promise<readonly string[]> {
  const results: string[] = [];
  for (const cell of cells) {
    const runsOnce = cell.trigger === "start" || cell.trigger === "cron";
    for (const arg of runsOnce ? ["a"] : ["a", "b"]) {
      const answer = await trigger(app, cell, arg);
      // A failed request may not have run anything.
      const effect = cell.isLive || /^[45]\d\d /.test(answer) ? "" : await effectOf(app, cell, arg);
      const parts = [answer, effect, ...(cell.signs && effect !== "" ? [await transfer(app, cell.signs, effect)] : [])];
      results.push(`${cell.title} (${arg}): ${parts.map(withoutAddresses).join(" | ")}`);
    }
  }
  return results;
}

function urlOf(app: Played, path: string): string {
  return new URL(path, `http://127.0.0.1:${app.port}`).href;
}

async function send(app: Played, path: string, options: RequestInit = {}): Promise<string> {
  const response = await fetch(urlOf(app, path), options);
  return `${response.status} ${await response.text()}`;
}

async function trigger(app: Played, { id, trigger }: Cell, arg: string): Promise<string> {
  const path = `/go${id}`;
  switch (trigger) {
    case "post":
    case "background": {
      const headers = { "content-type": "application/json" };
      return send(app, path, { method: "POST", headers, body: JSON.stringify({ arg }) });
    }
    case "get":
    case "page":
      return send(app, `${path}?arg=${arg}`);
    case "mount":
      return send(app, path, { method: "POST", body: arg });
    case "key":
      return send(app, path, { headers: { [`x-key-${id}`]: arg } });
    case "socket":
      return exchange(urlOf(app, path).replace("http", "ws"), arg);
    case "cron":
      return String(await app.runCron(`tick${id}`));
    default:
      // A singleton starts with its service.
      return "";
  }
}

/** Sends a message over a new WebSocket. Resolves with the first message received, or with the close code. */
function exchange(url: string, message: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url);
    socket.on("open", () => socket.send(JSON.stringify(message)));
    socket.on("message", (data: Buffer) => {
      socket.terminate();
      resolve(data.toString());
    });
    socket.on("close", (code) => resolve(`closed with ${code}`));
    socket.on("error", reject);
  });
}

/** Returns what the cell has written to the log, possibly after its response. */
async function effectOf(app: Played, { id, title }: Cell, arg: string): Promise<string> {
  const pattern = new RegExp(`recorded-${id}-${arg}-([0-9a-f]*)\\.`);
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const hex = pattern.exec(app.output())?.[1];
    if (hex !== undefined) return Buffer.from(hex, "hex").toString();
    if (performance.now() > deadline) return `${title} did nothing`;
    await setTimeout(20);
  }
}

async function transfer(app: Played, signs: "put" | "get", effect: string): Promise<string> {
  const { url, headers } = JSON.parse(effect) as { readonly url: string; readonly headers: Record<string, string> };
  const answer = await send(app, url, signs === "put" ? { method: "PUT", headers, body: "hello" } : { headers });
  return answer.slice(0, 3);
}

/** Removes the intended differences: signed URLs with their headers, and the scripts of documents. */
function withoutAddresses(text: string): string {
  return text
    .replaceAll(/\\?"url\\?":\\?"[^"]*"/g, "url")
    .replaceAll(/\\?"headers\\?":\{[^}]*\}/g, "headers")
    .replace(/^(\d+) <!doctype.*?(<p>.*<\/p>).*$/is, "$1 $2");
}
