import type { Logger } from "../../declare/context.ts";
import type { User } from "../../declare/user.ts";
import type { Platform } from "../../platform/contract.ts";
import { transact } from "../../platform/transact.ts";
import { registeredKind, seenKind } from "./kinds.ts";

/** What is told of people, with the kind of the record that it was. */
const records = { "auth.registered": registeredKind, "auth.first-sign-in": seenKind } as const;

type UserEvent = keyof typeof records;

interface Announcing {
  readonly platform: Platform;
  readonly log: Logger;
}

/**
 * Tells events of somebody, each once: with the record that it was, or not at all. `next` is told where the first was not before. That
 * they could not be told is logged, and fails nothing.
 */
async function announce({ platform, log }: Announcing, user: User, event: UserEvent, next?: UserEvent): Promise<void> {
  try {
    if ((await platform.entities.get({ kind: records[event], id: user.id })) !== undefined) return;
    await transact(platform, async (transaction) => {
      for (const told of next === undefined ? [event] : [event, next]) {
        const key = { kind: records[told], id: user.id };
        if ((await transaction.get(key)) !== undefined) return;
        transaction.insert(key, { at: new Date(platform.clock.now()) });
        transaction.send({ kind: "event", name: told }, { body: JSON.stringify(user) });
      }
    });
  } catch (error) {
    log.error("an event could not be published", { event, user: user.id, error });
  }
}

/** Tells of an account that was made here. */
export function announceRegistered(on: Announcing, user: User): Promise<void> {
  return announce(on, user, "auth.registered");
}

/** Tells of somebody who has a session and was never seen before; with the social provider they have made their account themselves. */
export function announceSignIn(on: Announcing, user: User): Promise<void> {
  return announce(on, user, "auth.first-sign-in", user.provider === "social" ? "auth.registered" : undefined);
}
