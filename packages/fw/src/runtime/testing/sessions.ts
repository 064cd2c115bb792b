import { randomBytes } from "node:crypto";
import type { Session, Sessions } from "../auth/sessions.ts";
import type { Identity } from "../auth/user.ts";

/** Sessions in memory, for tests that choose the signed-in user and count lookups. */
export class TestSessions implements Pick<Sessions, "find"> {
  readonly #live = new Map<string, Session>();
  /** The number of session lookups. */
  finds = 0;

  async find(id: string): Promise<Session | undefined> {
    this.finds++;
    return this.#live.get(id);
  }

  /** Signs a user in and returns the browser's cookie for local HTTP. */
  signIn(who: Partial<Identity> = {}): string {
    const id = randomBytes(32).toString("base64url");
    this.#live.set(id, { identity: { ...ann, ...who }, csrf: randomBytes(32).toString("base64url") });
    return `fw_session=${id}`;
  }

  signOut(cookie: string): void {
    this.#live.delete(cookie.slice(cookie.indexOf("=") + 1));
  }
}

const ann: Identity = {
  id: "u-ann",
  email: "ann@example.com",
  name: "Ann",
  provider: "email",
  emailVerified: true,
  roles: [],
};
