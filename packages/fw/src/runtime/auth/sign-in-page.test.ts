import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { bundleOf, start } from "../testing/app.ts";
import { bothProviders } from "../testing/auth-platform.ts";
import { type SignInApp, startSignIn } from "../testing/sign-in.ts";
import type { SignInFlow } from "./sign-in-flow.ts";
import { settings } from "../settings.ts";

const page = "/_fw/signin";

async function signedIn(app: SignInApp, role: readonly string[] = []): Promise<string> {
  const { session = "" } = await app.send("POST", "/_fw/api/session", { form: { dev_user: "alice", role } });
  return session;
}

/** Returns the attributes of every element with this tag name. */
function elements(html: string, name: string): string[] {
  return [...html.matchAll(new RegExp(`<${name}\\b([^>]*)>`, "g"))].map(([, attributes = ""]) => attributes.trim());
}

describe("the sign-in page of the dev server", () => {
  test("lists the test users alice and bob, and offers one box a declared role, none ticked", async () => {
    await using app = await startSignIn();
    const { body, status } = await app.send("GET", page);
    expect(status).toBe(200);
    expect(elements(body, "button")).toEqual([`name="dev_user" value="alice"`, `name="dev_user" value="bob"`, ""]);
    expect(elements(body, "input").filter((each) => each.includes("checkbox"))).toEqual([
      `type="checkbox" name="role" value="admin" autofocus`,
      `type="checkbox" name="role" value="editor"`,
    ]);
    expect(body).toContain("The session gets exactly the selected roles.");
  });

  test("asks for an address and a password only where Password is declared", async () => {
    await using app = await startSignIn({ auth: { social: true, password: false, roles: [] } });
    const { body } = await app.send("GET", page);
    expect(elements(body, "button")).toHaveLength(2);
    expect(body).not.toContain("password");
    expect(elements(body, "button")[0]).toContain("autofocus");
  });

  test.each([
    ["/notes?a=b&c", "/notes?a=b&amp;c"],
    ["//evil.example", "/"],
    [`/"><script>alert(1)</script>`, "/%22%3E%3Cscript%3Ealert(1)%3C/script%3E"],
  ])("leads on to the path in `next`: %s", async (next, value) => {
    await using app = await startSignIn();
    const { body } = await app.send("GET", `${page}?next=${encodeURIComponent(next)}`);
    expect(body.match(/name="next" value="([^"]*)"/g)).toEqual(Array(2).fill(`name="next" value="${value}"`));
  });

  test("a `next` that is not valid percent-encoding is a 400", async () => {
    await using app = await startSignIn();
    expect((await app.send("GET", `${page}?next=%zz`)).status).toBe(400);
  });

  test("says who is signed in, with which roles, and offers to go on, to sign out or to switch", async () => {
    await using app = await startSignIn();
    const { body } = await app.send("GET", `${page}?next=/notes`, { cookie: await signedIn(app, ["editor"]) });
    expect(body).toContain("<dd>Alice, alice@example.com</dd>");
    expect(body).toContain("<dd>editor</dd>");
    expect(body).toContain(`href="/notes">Continue</a>`);
    expect(elements(body, "form").map((each) => /action="([^"]*)"/.exec(each)?.[1])).toEqual([
      "/_fw/api/session/signout",
      "/_fw/api/session",
      "/_fw/api/session",
    ]);
    expect(body).toContain(`name="next" value="/_fw/signin?next=%2Fnotes"`);
    expect(body).not.toContain("autofocus");
  });

  test("shows what an account and an application are called as text", async () => {
    await using app = await startSignIn({ auth: { social: true, password: true, roles: [`"><i>`] } });
    const hostile = {
      email: "a@example.com",
      name: "<script>x</script>",
      emailVerified: true,
      claims: {},
      password: "pass word",
    };
    await app.platform.accounts.create(hostile);
    const form = { email: "a@example.com", password: "pass word" };
    const { session: cookie = "" } = await app.send("POST", "/_fw/api/session", { form });
    const { body } = await app.send("GET", page, { cookie });
    expect(body).toContain("&lt;script&gt;x&lt;/script&gt;, a@example.com");
    expect(body).not.toMatch(/<script|<i>/);
  });

  test("needs no script, allows none, and is in no frame and no cache", async () => {
    await using app = await startSignIn();
    const { headers, body } = await app.send("GET", page);
    const style = /<style>([^]*?)<\/style>/.exec(body)?.[1] ?? "";
    const hash = createHash("sha256").update(style).digest("base64");
    expect(headers.get("content-security-policy")).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    );
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("same-origin");
    expect(body).not.toMatch(/<script|\son\w+=|style="/);
  });

  test("HEAD answers as GET without a body", async () => {
    await using app = await startSignIn();
    const [head, get] = [await app.send("HEAD", page), await app.send("GET", page)];
    expect([head.status, head.body, head.headers.get("content-length")]).toEqual([
      200,
      "",
      get.headers.get("content-length"),
    ]);
  });
});

test("an application that declares Auth and is served without a platform says so in its log", async () => {
  await using app = await start({ ...bundleOf([]), auth: bothProviders });
  expect((await fetch(app.url + page)).status).toBe(500);
  expect(app.logs.map(({ fields }) => String(fields["error"]))).toEqual([
    "Fault: an application that declares Auth needs a platform",
  ]);
});

describe("the sign-in page of a deployment", () => {
  const flow: SignInFlow = {
    content: ({ action, next, social, password }) =>
      `<form data-social="${social}" data-password="${password}" data-next="${next}" action="${action}"></form>`,
    sources: {
      "script-src": ["'self'"],
      "connect-src": ["https://identity.example"],
      "img-src": ["https://pictures.example"],
    },
  };

  test("holds the provider's flow, and its policy allows what that needs", async () => {
    await using app = await startSignIn({ settings: settings.built("refused"), signInFlow: flow });
    const { status, body, headers } = await app.send("GET", `${page}?next=/notes`);
    expect(status).toBe(200);
    expect(elements(body, "form")).toEqual([
      `data-social="true" data-password="true" data-next="/notes" action="/_fw/api/session"`,
    ]);
    expect(headers.get("content-security-policy")).toMatch(
      /; img-src 'self' https:\/\/pictures\.example; .*; script-src 'self'; connect-src https:\/\/identity\.example$/,
    );
  });

  test("says plainly that there is no provider where none is configured", async () => {
    await using app = await startSignIn({ settings: settings.built("refused") });
    const { status, body } = await app.send("GET", page);
    expect(status).toBe(503);
    expect(body).toContain("No sign-in provider is configured for this deployment.");
    expect(body).not.toMatch(/alice|<form|<button/);
  });

  test("a flow is not asked in development", async () => {
    await using app = await startSignIn({ signInFlow: flow });
    const { body, headers } = await app.send("GET", page);
    expect(body).toContain("alice");
    expect(headers.get("content-security-policy")).not.toContain("example");
  });
});
