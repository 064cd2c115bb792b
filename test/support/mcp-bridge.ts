import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";

interface Message {
  readonly id?: string | number;
  readonly method: string;
}

export interface Bridge extends AsyncDisposable {
  readonly url: string;
}

/** A stdio server process for one client's session. */
class Session {
  readonly process: ChildProcess;
  readonly #waiting = new Map<string | number, (answer: string) => void>();

  constructor(args: readonly string[], cwd: string) {
    this.process = spawn(process.execPath, args, { cwd, stdio: ["pipe", "pipe", "inherit"] });
    if (this.process.stdout)
      createInterface(this.process.stdout).on("line", (line) => {
        const { id } = JSON.parse(line) as { id?: string | number };
        if (id !== undefined) this.#waiting.get(id)?.(line);
      });
  }

  send(line: string): void {
    this.process.stdin?.write(`${line.replaceAll("\n", "")}\n`);
  }

  ask(id: string | number, line: string): Promise<string> {
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.send(line);
    });
  }
}

/** Serves a stdio MCP server (a Node script and its arguments) over Streamable HTTP. */
export async function bridgeToStdio(args: readonly string[], cwd: string): Promise<Bridge> {
  const sessions = new Map<string, Session>();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    const body = await text(request);
    const { id, method } = JSON.parse(body) as Message;
    const name = method === "initialize" ? randomUUID() : String(request.headers["mcp-session-id"]);
    const session = sessions.get(name) ?? new Session(args, cwd);
    sessions.set(name, session);
    if (id === undefined) {
      session.send(body);
      return void response.writeHead(202).end();
    }
    const line = await session.ask(id, body);
    response.writeHead(200, { "content-type": "application/json", "mcp-session-id": name }).end(line);
  };
  const server = createServer((request, response) => void answer(request, response)).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/mcp`,
    async [Symbol.asyncDispose]() {
      for (const session of sessions.values()) session.process.kill("SIGKILL");
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
