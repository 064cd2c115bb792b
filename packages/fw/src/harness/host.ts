import type { Context } from "../declare/context.ts";
import type { Host } from "../declare/host.ts";
import type { Application } from "../runtime/application.ts";
import { userOf } from "../runtime/auth/user.ts";
import { outsideTransaction } from "../runtime/calls/origin.ts";
import { TestContext } from "./context.ts";
import type { TestUser } from "./test-user.ts";
import { wrapOperations } from "./wrap-operations.ts";

/** The user on whose behalf a test makes calls. */
interface TestCaller {
  readonly app: Application;
  readonly person: TestUser | undefined;
  /** Resolves when all pending sign-ins are complete. */
  readonly ready: () => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Implements a test's operations. Each call looks up the session as a request does, so that it sees newly granted
 * roles, and no user after the session has ended.
 */
export function testHost({ app, person, ready, signal }: TestCaller): Host {
  const { host } = app;

  /** Returns the context of a call, which is not part of a transaction. */
  async function refreshContext(inner: Context): Promise<Context> {
    await ready();
    const ctx = outsideTransaction(inner);
    if (person === undefined || !(ctx instanceof TestContext)) return ctx;
    const { id } = await person.session;
    const session = await app.sessions?.find(id);
    return new TestContext({ app, host, user: session && userOf(session.identity), session: id, signal });
  }

  return {
    ...host,
    call: async (ctx, endpoint, request) => host.call(await refreshContext(ctx), endpoint, request),
    users: wrapOperations(host.users, async (operation) => {
      await ready();
      return operation();
    }),
  };
}
