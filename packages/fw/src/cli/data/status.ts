import { counted } from "../../lib/counted.ts";
import { statusPath } from "../../runtime/background/dispatcher-operations.ts";
import type { DataStatus } from "../../platform/data-status.ts";
import { Refusal, type ExitCode } from "../command.ts";
import { localPlaceOf } from "./local-or-deployed.ts";
import type { DataOptions } from "./options.ts";
import type { IO } from "../io.ts";
import { printJSON } from "../print/output.ts";
import { answeringServer, refusalOf, type Server } from "../run/server.ts";

/**
 * Runs `fw status` without a project: prints the index fills, documents to rewrite and waiting messages of the server
 * on this machine.
 */
export async function runLocalStatus(
  { json, ...options }: DataOptions & { readonly json: true | undefined },
  io: IO,
): Promise<ExitCode> {
  const place = await localPlaceOf(options, io);
  const server = await answeringServer(place);
  if (server === undefined)
    throw new Refusal(
      `no server is running on the data in ${place.directory}: start fw serve or fw dev, or name a deployed application with --project`,
    );
  const status = await askStatus(server);
  if (json) printJSON({ version: 1, ...status }, io);
  else io.out.write(statusText(status));
  return 0;
}

/** Asks a server on this machine for the status of its data, which is empty if the application stores none. */
export async function askStatus(server: Server): Promise<DataStatus> {
  const answer = await server.post(statusPath);
  if (answer.status !== 200) throw refusalOf(answer);
  return (answer.body as DataStatus | null) ?? { fills: [], outdated: {}, waiting: {} };
}

/**
 * Formats a line for each index being filled, each entity with documents to rewrite, and each destination with waiting
 * messages.
 */
export function statusText({ fills, outdated, waiting }: DataStatus): string {
  const lines = [
    ...fills.map(({ kind, fields, done, remaining }) => {
      const share = done + remaining === 0 ? 100 : Math.floor((100 * done) / (done + remaining));
      return `the index of ${kind} (${fields}) is being filled: ${counted(done, "document")} done, ${remaining} left (${share} %)`;
    }),
    ...Object.entries(outdated).map(
      ([kind, count]) => `${counted(count, "document")} of ${kind} left for a rule to rewrite`,
    ),
    ...waitingLines(waiting),
  ];
  return lines.length === 0
    ? "all data is up to date with the running code\n"
    : lines.map((line) => `${line}\n`).join("");
}

export function waitingLines(waiting: DataStatus["waiting"]): readonly string[] {
  return Object.entries(waiting).map(
    ([destination, count]) => `${counted(count, "message")} of ${destination} that no type of the running code accepts`,
  );
}
