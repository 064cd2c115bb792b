import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { club, codeOfKey, type StoredMail } from "./support/accounts.ts";
import { startServed } from "./support/served-topology.ts";
import { mostTopologies, startFiles, type Running, type Topology } from "./support/topologies.ts";

const serveTopology: Topology = ["under fw serve", startServed];

const own = mostTopologies.filter(([name]) => name !== "on the cloud");

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly location: string | null;
}

/** A browser without scripts that keeps the cookies of one origin. */
class Browser {
  readonly cookies = new Map<string, string>();
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  async open(path: string, form?: Readonly<Record<string, string>>): Promise<Answer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(this.#url + path, {
      method: form === undefined ? "GET" : "POST",
      redirect: "manual",
      headers: { cookie, accept: "text/html", origin: this.#url },
      ...(form && { body: new URLSearchParams(form) }),
    });
    for (const each of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(each) ?? [];
      if (value === "") this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return { status: answer.status, text: await answer.text(), location: answer.headers.get("location") };
  }

  /** Submits a form of the account page with the page's token. */
  async change(action: string, form: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const page = await this.open("/_fw/account");
    const token = /name="_csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? "";
    return this.open(`/_fw/account/${action}`, { ...form, _csrf: token });
  }

  async isSignedIn(): Promise<boolean> {
    return (await this.open("/desk")).status === 200;
  }
}

const password = "correct horse";

describe.each([...own, serveTopology])("accounts %s", (...topology) => {
  let app: Running;
  let url: string;
  beforeAll(async () => {
    app = await startFiles(topology, Object.fromEntries(filesOf(club)));
    url = `http://127.0.0.1:${app.port}`;
  });
  afterAll(() => app?.[Symbol.asyncDispose]());

  const mailsTo = async (to: string): Promise<readonly StoredMail[]> => {
    const all = (await (await fetch(`${url}/mails`)).json()) as readonly StoredMail[];
    return all.filter((mail) => mail.to === to);
  };
  /** Waits for the only mail with this purpose to an address. Returns the path of the link in it. */
  const mailed = async (to: string, purpose: string): Promise<string> => {
    const some = async (): Promise<number> => (await mailsTo(to)).filter((mail) => mail.purpose === purpose).length;
    await expect.poll(some).toBe(1);
    return (await mailsTo(to)).find((mail) => mail.purpose === purpose)?.path ?? "";
  };
  const signedUp = async (email: string): Promise<Browser> => {
    const browser = new Browser(url);
    expect(await browser.open("/_fw/signup", { email, next: "/me" })).toMatchObject({ location: "/_fw/signup?sent" });
    const path = await mailed(email, "sign-up");
    expect((await browser.open(path)).text).toContain("Choose a password");
    expect(await browser.open(path, { new_password: password })).toMatchObject({ status: 303, location: "/me" });
    return browser;
  };
  const signIn = (browser: Browser, email: string, typed = password): Promise<Answer> =>
    browser.open("/_fw/api/session", { email, password: typed, next: "/me" });

  test("a person signs up, forgets the password and replaces it, which ends every session", async () => {
    const email = "ann@example.com";
    const browser = await signedUp(email);
    expect(JSON.parse((await browser.open("/me")).text)).toEqual({ email, emailVerified: true });
    const elsewhere = new Browser(url);
    expect((await elsewhere.open("/_fw/forgot", { email })).location).toBe("/_fw/forgot?sent");
    const path = await mailed(email, "reset");
    const tries = Array.from({ length: 4 }, (_, n) => new Browser(url).open(path, { new_password: `battery ${n}` }));
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([303, 410, 410, 410]);
    expect(await browser.isSignedIn()).toBe(false);
    expect((await signIn(browser, email)).status).toBe(401);
    expect((await signIn(browser, email, `battery ${statuses.indexOf(303)}`)).status).toBe(303);
    expect(await browser.isSignedIn()).toBe(true);
  });

  test("an address without an account gets the same answers and no mail", async () => {
    const browser = new Browser(url);
    const address = "known@example.com";
    await signedUp(address);
    const answers = [];
    for (const email of ["unknown@example.com", address]) answers.push(await browser.open("/_fw/forgot", { email }));
    expect(answers[0]).toEqual(answers[1]);
    // The mail to the second address arrives after any mail that the first one could have caused.
    await mailed(address, "reset");
    expect(await mailsTo("unknown@example.com")).toEqual([]);
  });

  test("a second factor asks for a code that works once, and a recovery code once", async () => {
    const email = "bob@example.com";
    const browser = await signedUp(email);
    const setup = await browser.change("factor", { password });
    const key = /<code>([A-Z2-7 ]+)<\/code>/.exec(setup.text)?.[1] ?? "";
    const challenge = key.replaceAll(" ", "");
    const codes = await browser.change("factor/confirm", { code: codeOfKey(key, Date.now()), challenge });
    const [recovery = ""] = Array.from(codes.text.matchAll(/<li><code>([^<]+)/g), ([, code = ""]) => code);
    const nextChallenge = async (): Promise<string> =>
      /name="challenge" value="([^"]+)"/.exec((await signIn(new Browser(url), email)).text)?.[1] ?? "";
    // Uses the code of the next time step, because the current one has been used.
    const code = codeOfKey(key, Date.now() + 30_000);
    const challenges = [await nextChallenge(), await nextChallenge(), await nextChallenge()];
    const together = challenges.map((each) => new Browser(url).open("/_fw/api/session", { challenge: each, code }));
    expect((await Promise.all(together)).map(({ status }) => status).toSorted()).toEqual([303, 401, 401]);
    const again = new Browser(url);
    const form = { challenge: await nextChallenge(), code: recovery };
    expect((await again.open("/_fw/api/session", form)).status).toBe(303);
    expect(await again.isSignedIn()).toBe(true);
    expect((await new Browser(url).open("/_fw/api/session", form)).status).not.toBe(303);
  });

  test("a person sees the own sessions, ends one, changes the password and signs out everywhere", async () => {
    const email = "cleo@example.com";
    const browser = await signedUp(email);
    const other = new Browser(url);
    await signIn(other, email);
    const page = await browser.open("/_fw/account");
    const id = /name="id" value="(\w{64})"/.exec(page.text)?.[1] ?? "";
    expect((await browser.change("sessions/end", { id })).location).toBe("/_fw/account?done=ended");
    expect([await browser.isSignedIn(), await other.isSignedIn()]).toEqual([true, false]);
    await signIn(other, email);
    const changed = await browser.change("password", { password, new_password: "battery staple" });
    expect(changed.location).toBe("/_fw/account?done=password");
    expect([await browser.isSignedIn(), await other.isSignedIn()]).toEqual([true, false]);
    await mailed(email, "password-changed");
    await signIn(other, email, "battery staple");
    await browser.change("sessions/end-all");
    expect([await browser.isSignedIn(), await other.isSignedIn()]).toEqual([false, false]);
  });

  test("an account that an operator created verifies its address", async () => {
    const email = "dora@example.com";
    const body = JSON.stringify({ email, password });
    await fetch(`${url}/accounts`, { method: "POST", headers: { "content-type": "application/json" }, body });
    const browser = new Browser(url);
    await signIn(browser, email);
    expect(JSON.parse((await browser.open("/me")).text)).toEqual({ email, emailVerified: false });
    await browser.change("verify");
    await browser.open(await mailed(email, "verify"), {});
    expect(JSON.parse((await browser.open("/me")).text)).toEqual({ email, emailVerified: true });
  });

  test("attempts to sign in are counted by all processes together", async () => {
    const email = "nobody@example.com";
    const tries = Array.from({ length: 22 }, () => signIn(new Browser(url), email));
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(20);
    expect(statuses).toContain(429);
  });

  test("the log has no address, password, code or link", async () => {
    const output = app.output();
    const links = (await (await fetch(`${url}/mails`)).json()) as readonly StoredMail[];
    expect(links.length).toBeGreaterThan(3);
    for (const { path } of links) if (path.startsWith("/_fw/link/")) expect(output).not.toContain(path.slice(32));
    for (const secret of [password, "battery", "@example.com"]) expect(output).not.toContain(secret);
  });
});
