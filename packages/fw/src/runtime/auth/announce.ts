import type { Logger } from "../../declare/context.ts";
import type { User } from "../../declare/user.ts";
import type { Platform, Transaction } from "../../platform/contract.ts";
import { transact } from "../../platform/transact.ts";
import { registeredKind, seenKind } from "./kinds.ts";

type UserEvent = "auth.registered" | "auth.first-sign-in";

/** What is told of people, each once: with the record that it was, or not at all. That it could not be told is logged, and fails nothing. */
export interface Announcements {
  /** `auth.registered` of an account that was made here. */
  created(user: User): Promise<void>;
  /**
   * `auth.first-sign-in` of somebody who has a session and was never seen before, and `auth.registered` beside it where they made their
   * account themselves, with the social provider.
   */
  signedIn(user: User): Promise<void>;
}

export function announcementsOn(platform: Platform, log: Logger): Announcements {
  const tell = async (event: UserEvent, user: User, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      log.error("an event could not be published", { event, user: user.id, error });
    }
  };
  const publish = async (transaction: Transaction, kind: string, event: UserEvent, user: User): Promise<boolean> => {
    const key = { kind, id: user.id };
    if ((await transaction.get(key)) !== undefined) return false;
    transaction.insert(key, { at: new Date(platform.clock.now()) });
    transaction.send({ kind: "event", name: event }, { body: JSON.stringify(user) });
    return true;
  };
  return {
    created: (user) =>
      tell("auth.registered", user, () =>
        transact(platform, async (transaction) => {
          await publish(transaction, registeredKind, "auth.registered", user);
        }),
      ),
    signedIn: (user) =>
      tell("auth.first-sign-in", user, async () => {
        if ((await platform.entities.get({ kind: seenKind, id: user.id })) !== undefined) return;
        await transact(platform, async (transaction) => {
          const isFirst = await publish(transaction, seenKind, "auth.first-sign-in", user);
          if (isFirst && user.provider === "social")
            await publish(transaction, registeredKind, "auth.registered", user);
        });
      }),
  };
}
