import type { ServerResponse } from "node:http";

/** Answers with an error, as services do. */
export function refuse(res: ServerResponse, status: number, message: string): void {
  const headers = {
    "content-type": "application/json",
    "cache-control": "no-cache",
    "x-content-type-options": "nosniff",
  };
  res.writeHead(status, headers);
  res.end(JSON.stringify({ error: message }));
}
