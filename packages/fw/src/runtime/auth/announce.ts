import type { Logger } from "../../declare/context.ts";
import type { User } from "../../declare/user.ts";
import type { Platform } from "../../platform/contract.ts";
import { transact } from "../../platform/transact.ts";
import { registeredKind, seenKind } from "./kinds.ts";

/** The kinds of the records that mark a user's events as published, by event. */
const records = { "auth.registered": registeredKind, "auth.first-sign-in": seenKind } as const;

type UserEvent = keyof typeof records;

interface Publisher {
  readonly platform: Platform;
  readonly log: Logger;
}

/**
 * Publishes a user's event at most once: the event and its record are written in one transaction (an outbox). If the
 * event is new, does the same for `next`. Logs failures and never rejects.
 */
async function announce({ platform, log }: Publisher, user: User, event: UserEvent, next?: UserEvent): Promise<void> {
  try {
    if ((await platform.entities.get({ kind: records[event], id: user.id })) !== undefined) return;
    await transact(platform, async (transaction) => {
      for (const name of next === undefined ? [event] : [event, next]) {
        const key = { kind: records[name], id: user.id };
        if ((await transaction.get(key)) !== undefined) return;
        transaction.insert(key, { at: new Date(platform.clock.now()) });
        transaction.send({ kind: "event", name: name }, { body: JSON.stringify(user) });
      }
    });
  } catch (error) {
    log.error("an event could not be published", { event, user: user.id, error });
  }
}

/** Publishes that this application created an account. */
export function announceRegistered(publisher: Publisher, user: User): Promise<void> {
  return announce(publisher, user, "auth.registered");
}

/**
 * Publishes the first sign-in of a user. Users of the social provider create their accounts themselves, so this also
 * publishes their registration.
 */
export function announceSignIn(publisher: Publisher, user: User): Promise<void> {
  return announce(publisher, user, "auth.first-sign-in", user.provider === "social" ? "auth.registered" : undefined);
}
