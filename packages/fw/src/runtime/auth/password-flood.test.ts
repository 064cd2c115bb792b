import type * as Crypto from "node:crypto";
import { describe, expect, test, vi } from "vitest";
import { passwordDerivations, passwordsWaiting } from "../../lib/limits.ts";
import { until } from "../testing/server.ts";
import { type Answer, type SignInApp, startSignIn } from "../testing/sign-in.ts";
import { busyMs } from "../response/busy.ts";

/** Password derivations that are held back while `holding` is true. */
const waiters: (() => void)[] = [];
let holding = false;

vi.mock("node:crypto", async (original) => {
  const crypto = await original<typeof Crypto>();
  const pbkdf2: typeof crypto.pbkdf2 = (password, salt, _iterations, length, digest, done) => {
    const derive = (): void => crypto.pbkdf2(password, salt, 1, length, digest, done);
    if (holding) waiters.push(derive);
    else derive();
  };
  return { ...crypto, pbkdf2 };
});

const session = "/_fw/api/session";
const right = { email: "ann@example.com", password: "correct horse" };
const wrong = { email: "ann@example.com", password: "wrong" };
const unknown = { email: "nobody@example.com", password: "correct horse" };
const off = { email: "off@example.com", password: "correct horse" };
const most = passwordDerivations + passwordsWaiting;

async function startWithAccounts(): Promise<SignInApp> {
  const app = await startSignIn();
  const fields = { name: "", emailVerified: false, claims: {} };
  await app.platform.accounts.create({ ...fields, ...right });
  const { id } = await app.platform.accounts.create({ ...fields, ...off });
  await app.platform.accounts.setDisabled(id, true);
  return app;
}

/** Fills the queue with one sign-in too many. Resolves once that one is refused. */
async function flood(app: SignInApp): Promise<{ readonly answers: Promise<Answer[]>; readonly release: () => void }> {
  holding = true;
  let refusals = 0;
  const attempts = Array.from({ length: most + 1 }, async (_, i) => {
    const answer = await app.send("POST", session, { json: [right, wrong, unknown, off][i % 4] });
    if (answer.status === 503) refusals++;
    return answer;
  });
  await until(() => refusals === 1, "a sign-in to be refused");
  const release = (): void => {
    holding = false;
    for (const derive of waiters.splice(0)) derive();
  };
  return { answers: Promise.all(attempts), release };
}

describe("a flood of sign-ins", () => {
  test("fills a queue of bounded length, and beyond it is refused with 503 and when to come again", async () => {
    await using app = await startWithAccounts();
    const { answers, release } = await flood(app);
    const { status, headers, body } = await app.send("POST", session, { json: right });
    expect([status, headers.get("retry-after"), headers.get("cache-control"), JSON.parse(body)]).toEqual([
      503,
      String(busyMs / 1_000),
      "no-store",
      { error: "too many sign-ins are in progress; try again in a few seconds" },
    ]);
    expect(waiters.length).toBe(passwordDerivations);
    release();
    const statuses = (await answers).map((answer) => answer.status);
    expect(statuses.filter((each) => each === 503)).toHaveLength(1);
    expect(statuses.filter((each) => each === 200 || each === 401)).toHaveLength(most);
    expect((await app.send("POST", session, { json: right })).status).toBe(200);
  });

  test("is refused alike for a right password, a wrong one, an unknown address and a disabled account", async () => {
    await using app = await startWithAccounts();
    const { answers, release } = await flood(app);
    const results = await Promise.all(
      [right, wrong, unknown, off].map(async (json) => {
        const { status, headers, body } = await app.send("POST", session, { json });
        return { status, body, headers: [...headers].filter(([name]) => !["date", "x-request-id"].includes(name)) };
      }),
    );
    expect(results.every((each) => JSON.stringify(each) === JSON.stringify(results[0]))).toBe(true);
    release();
    await answers;
  });

  test("gives a browser's form the sign-in page again, with when to come again", async () => {
    await using app = await startWithAccounts();
    const { answers, release } = await flood(app);
    const answer = await app.send("POST", session, { form: right, headers: { accept: "text/html" } });
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, String(busyMs / 1_000)]);
    expect(answer.body).toContain("too many sign-ins are in progress");
    release();
    await answers;
  });

  test("keeps nobody from being who they are, or from signing in otherwise", async () => {
    await using app = await startWithAccounts();
    const { session: cookie = "" } = await app.send("POST", session, { form: { dev_user: "alice" } });
    const { answers, release } = await flood(app);
    expect((await app.send("GET", "/mine", { cookie })).status).toBe(200);
    expect((await app.send("POST", session, { form: { dev_user: "bob" } })).status).toBe(303);
    release();
    await answers;
  });
});
