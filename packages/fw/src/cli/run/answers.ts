import type { RunningServer } from "../../workspace/announcement.ts";

/** Timeout for a server on this machine, in milliseconds. */
const answerMs = 60_000;

/** True if the address of an announced server still responds. */
export async function answers(running: RunningServer): Promise<boolean> {
  try {
    // fw serve handles this probe itself, so it does not appear among the dashboard's requests.
    await fetch(`${addressOf(running)}/_fw/z/live`, { signal: AbortSignal.timeout(answerMs) });
    return true;
  } catch {
    return false;
  }
}

/** Returns the origin at which commands on this machine can reach a server. */
export function addressOf({ host, port }: Pick<RunningServer, "host" | "port">): string {
  const name = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
