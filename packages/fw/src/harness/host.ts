import type { Context } from "../declare/context.ts";
import type { Host } from "../declare/host.ts";
import type { Application } from "../runtime/application.ts";
import { userOf } from "../runtime/auth/user.ts";
import { outsideTransaction } from "../runtime/calls/origin.ts";
import { TestContext } from "./context.ts";
import type { Person } from "./person.ts";
import { wrapped } from "./wrapped.ts";

/** Who a test acts as. */
interface Acting {
  readonly app: Application;
  readonly person: Person | undefined;
  /** Resolves when everybody who signs in is. */
  readonly ready: () => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Carries out a test's operations. A call looks the session up as a request does, so that it sees a role that was granted
 * since, and nobody where the session has ended.
 */
export function testHost({ app, person, ready, signal }: Acting): Host {
  const { host } = app;

  /** The context of a call, which is no part of a transaction. */
  async function current(inner: Context): Promise<Context> {
    await ready();
    const ctx = outsideTransaction(inner);
    if (person === undefined || !(ctx instanceof TestContext)) return ctx;
    const { id } = await person.session;
    const session = await app.sessions?.find(id);
    return new TestContext({ app, host, user: session && userOf(session.identity), session: id, signal });
  }

  return {
    ...host,
    call: async (ctx, endpoint, request) => host.call(await current(ctx), endpoint, request),
    users: wrapped(host.users, async (operation) => {
      await ready();
      return operation();
    }),
  };
}
