import type { Logger } from "../../declare/context.ts";
import type { User } from "../../declare/user.ts";
import type { Platform } from "../../platform/contract.ts";

/** Publishes an event of a user. That it could not be published is logged, and fails nothing. */
export async function announce(
  { messages }: Platform,
  name: "auth.registered" | "auth.first-sign-in",
  user: User,
  log: Logger,
): Promise<void> {
  try {
    await messages.send({ kind: "event", name }, { body: JSON.stringify(user) });
  } catch (error) {
    log.error("an event could not be published", { event: name, user: user.id, error });
  }
}
