import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Clock, EntityStore, TransactionOptions } from "../../platform/contract.ts";
import { openLocal, type LocalPlatform } from "../../platform/local/open.ts";
import type { Destination, OutgoingMessage } from "../../platform/messages.ts";
import { ManualClock } from "../../platform/testing/conformance/fixture.ts";
import { accountKinds } from "../auth/account/kinds.ts";
import { authKinds } from "../auth/kinds.ts";
import type { BundledAuth } from "../bundle.ts";
import { limitKinds } from "../limit/kinds.ts";
import type { LogRecord } from "../observe/log.ts";
import { TaggedLogger } from "../observe/log.ts";

/** An application's Auth with two roles. */
export const bothProviders: BundledAuth = { social: true, password: true, roles: ["admin", "editor"] };

type SentMessage = OutgoingMessage & { readonly destination: Destination };

/** Decides whether messages are accepted, and collects them. */
interface Carrier {
  check(): void;
  take(messages: readonly SentMessage[]): void;
}

/** The platform of sign-in tests: a new local platform whose operations are recorded. */
export interface AuthPlatform {
  readonly platform: LocalPlatform;
  readonly directory: string;
  readonly clock: ManualClock;
  /** The platform's operations in order, such as `entities.get` or `accounts.get`. */
  readonly calls: string[];
  readonly messages: SentMessage[];
  /** Makes every send fail with the error, until it is called without one. */
  readonly failSending: (error: Error | undefined) => void;
  readonly logs: LogRecord[];
  readonly log: TaggedLogger;
}

/** Opens a platform for the current test. `time` replaces the manual clock. */
export async function openAuthPlatform(time?: Clock): Promise<AuthPlatform> {
  const directory = await mkdtemp(join(tmpdir(), "fw-auth-"));
  const clock = new ManualClock();
  const local = await openLocal(
    directory,
    { kinds: [...authKinds, ...accountKinds, ...limitKinds] },
    { clock: time ?? clock, temporary: true },
  );
  onTestFinished(async () => {
    await local.close();
    await rm(directory, { recursive: true });
  });
  const calls: string[] = [];
  const logs: LogRecord[] = [];
  const messages: AuthPlatform["messages"] = [];
  let failure: Error | undefined;
  const carrier: Carrier = {
    check: () => {
      if (failure !== undefined) throw failure;
    },
    take: (outgoing) => void messages.push(...outgoing),
  };
  return {
    platform: {
      ...local,
      entities: telling(sending(local.entities, carrier), "entities", calls),
      accounts: telling(local.accounts, "accounts", calls),
      messages: Object.assign(Object.create(local.messages), {
        async send(destination: Destination, message: OutgoingMessage) {
          carrier.check();
          carrier.take([{ destination, ...message }]);
          return String(messages.length);
        },
      }),
    },
    directory,
    clock,
    calls: calls,
    messages: messages,
    failSending: (error) => (failure = error),
    logs,
    log: new TaggedLogger((record) => logs.push(record), {}),
  };
}

/**
 * Wraps a store so that its transactions pass their messages to the carrier, which may refuse them before the commit
 * and collects them after it.
 */
function sending(store: EntityStore, carrier: Carrier): EntityStore {
  return replacing(store, {
    begin: async (options?: TransactionOptions) => {
      const transaction = await store.begin(options);
      const messages: SentMessage[] = [];
      return replacing(transaction, {
        send: (destination: Destination, message: OutgoingMessage) =>
          String(messages.push({ destination, ...message })),
        commit: async () => {
          if (messages.length > 0) carrier.check();
          await transaction.commit();
          carrier.take(messages);
        },
      });
    },
  });
}

/** Returns a target with some of its members replaced. */
function replacing<T extends object>(target: T, members: Partial<T>): T {
  return new Proxy(target, {
    get(_, property) {
      const member: unknown = Reflect.get(property in members ? members : target, property);
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
}

function telling<T extends object>(target: T, name: string, calls: string[]): T {
  return new Proxy(target, {
    get(_, property) {
      const member: unknown = Reflect.get(target, property, target);
      if (typeof member !== "function") return member;
      return (...given: unknown[]): unknown => {
        calls.push(`${name}.${property === "getNow" ? "get" : String(property)}`);
        return member.apply(target, given) as unknown;
      };
    },
  });
}
