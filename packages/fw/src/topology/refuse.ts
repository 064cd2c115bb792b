import type { ServerResponse } from "node:http";

/** Answers with an error, as services do. */
export function refuse(res: ServerResponse, status: number, message: string): void {
  res.writeHead(status, { "content-type": "application/json", "cache-control": "no-cache" });
  res.end(JSON.stringify({ error: message }));
}
