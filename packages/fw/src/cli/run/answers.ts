import type { RunningServer } from "../../workspace/announcement.ts";

/** Milliseconds within which a server of this machine answers. */
const answerMs = 60_000;

/** Whether a server that was announced still runs. */
export async function answers(running: RunningServer): Promise<boolean> {
  try {
    await fetch(`${addressOf(running)}/_fw/z/`, { signal: AbortSignal.timeout(answerMs) });
    return true;
  } catch {
    return false;
  }
}

/** The origin at which a server answers commands of its own machine. */
export function addressOf({ host, port }: Pick<RunningServer, "host" | "port">): string {
  const name = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
