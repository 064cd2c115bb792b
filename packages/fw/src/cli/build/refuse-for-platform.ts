import type { BuildPlatform } from "../../build/platform.ts";
import type { App } from "../../model/app.ts";
import { allOfKind } from "../../model/declarations.ts";
import { inSourceOrder, lineOf } from "../../model/diagnostic.ts";
import type { EntryUses } from "../../model/uses.ts";
import { Refusal } from "../command.ts";

/** Refuses an application that uses declarations in a way that a platform does not support. */
export async function refuseForPlatform(
  app: App,
  platform: BuildPlatform,
  usesOf: () => Promise<readonly EntryUses[]>,
): Promise<void> {
  if (platform !== "gcp") return;
  refuseAccounts(app);
  refuseUnreceived(app, await usesOf());
}

function refuseAccounts({ packages }: App): void {
  const auth = allOfKind(packages, "auth").find(({ account }) => account);
  if (auth === undefined) return;
  throw new Refusal(
    `${lineOf(auth.declaration.at)}: Auth has account: true, but on Google Cloud passwords belong to Identity Platform, which has its own pages for them: remove account and signUp, or host the application yourself`,
  );
}

/**
 * Refuses sends to a queue without a worker. A machine's store keeps the messages for a later worker, but Google Cloud
 * does not.
 */
function refuseUnreceived({ packages }: App, entries: readonly EntryUses[]): void {
  const received = new Set(allOfKind(packages, "worker").map(({ source }) => source.name));
  const [first] = entries
    .flatMap(({ uses }) => uses)
    .filter(({ kind, name, operation }) => kind === "queue" && operation === "send" && !received.has(name))
    .toSorted((a, b) => inSourceOrder(a.at, b.at));
  if (first === undefined) return;
  throw new Refusal(
    `${lineOf(first.at)}: queue "${first.name}" has no Worker, and Google Cloud cannot store its messages without one: declare a Worker`,
  );
}
