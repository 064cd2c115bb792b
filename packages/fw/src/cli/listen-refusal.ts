import { portOwner } from "../lib/port-owner.ts";
import { Refusal } from "./command.ts";

/** Explains why a server cannot listen; returns any other error unchanged. */
export function listenRefusal(
  error: unknown,
  { port, host }: { readonly port: number; readonly host: string },
): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "EADDRINUSE") return new Refusal(portTaken(port));
  if (code === "EACCES")
    return new Refusal(`the system does not allow listening on port ${port}; try --port ${port + 8000}`);
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
    return new Refusal(`this machine has no address "${host}"; use 127.0.0.1, or 0.0.0.0 for all`);
  return error;
}

function portTaken(port: number): string {
  const owner = portOwner(port);
  const by = owner === undefined ? "another program" : `process ${owner.pid} (${owner.command})`;
  return `port ${port} is taken by ${by}; stop it, or try --port ${port + 1}`;
}
