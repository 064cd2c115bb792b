import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { reply, type Reply } from "../../declare/reply.ts";
import { replyCookies, replyHeaders, requireReply } from "./reply-headers.ts";

const headersOf = (headers: Record<string, string | number | readonly string[] | undefined>) =>
  replyHeaders(reply(null, { headers })).headers;
const cookiesOf = (cookies: unknown) => replyCookies(reply(null, { cookies: cookies as Reply["cookies"] }), false);

describe("the headers of a reply", () => {
  test.each([
    ["Location", "/a b/ü", "/a%20b/%C3%BC"],
    ["HX-Push-Url", "false", "false"],
    ["HX-Trigger", '{"saved":{"name":"Bücher 漢"}}', '{"saved":{"name":"B\\u00fccher \\u6f22"}}'],
    ["Link", ["</a>; rel=next", "</b>; rel=prev"], "</a>; rel=next, </b>; rel=prev"],
    ["X-Total", 7, "7"],
    ["WWW-Authenticate", 'Bearer realm="x"', 'Bearer realm="x"'],
  ])("%s: %j is sent as a header can hold it", (name, value, sent) => {
    expect(headersOf({ [name]: value, "X-None": undefined })).toEqual([[name, sent]]);
  });

  test.each([
    ["Set-Cookie", "a reply cannot set Set-Cookie: use reply(body, { cookies })"],
    ["content-LENGTH", "a reply cannot set content-LENGTH: the server sets it"],
    ["Transfer-Encoding", "a reply cannot set Transfer-Encoding: the server sets it"],
    ["Connection", "a reply cannot set Connection: the server sets it"],
    ["Vary", "a reply cannot set Vary: it follows from the headers and cookies that the request binds"],
    ["Cache-Control", "a reply cannot set Cache-Control: set the route's maxAge instead"],
    ["Content-Type", "a reply cannot set Content-Type: it follows from the body; use blob(…, { type })"],
    ["X-Fw-Result", "a reply cannot set X-Fw-Result: fw reserves such names"],
    ["Access-Control-Allow-Origin", /set the origins of the Service instead/],
    ["X Page", '"X Page" is not a valid header name'],
    ["", '"" is not a valid header name'],
    ["X-A\r\nSet-Cookie", /is not a valid header name/],
  ])("%s is refused", (name, message) => {
    expect(() => headersOf({ [name]: "text/html" })).toThrow(message);
  });

  test("whatever a header is given, nothing but one line of ASCII is sent", () => {
    const names = fc.constantFrom("X-Any", "Location", "HX-Trigger", "HX-Push-Url", "Content-Location", "ETag");
    fc.assert(
      fc.property(names, fc.string({ unit: "binary" }), (name, value) => {
        let sent: readonly (readonly [string, string])[] = [];
        try {
          sent = headersOf({ [name]: value });
        } catch (error) {
          expect((error as Error).name).toBe("Fault");
        }
        for (const [, text] of sent) expect(text).toMatch(/^[\t\x20-\x7e]*$/);
      }),
    );
  });

  test("the type of JSON may be another JSON, and nothing else", () => {
    const { type, headers } = replyHeaders(reply({}, { headers: { "content-type": "application/problem+json" } }));
    expect([type, headers]).toEqual(["application/problem+json", []]);
  });
});

describe("the cookies of a reply", () => {
  test.each([
    ["theme", "dark", "theme=dark; Path=/; HttpOnly; SameSite=Lax"],
    [
      "cart",
      { value: "ü;, \r\n", maxAge: "1d", httpOnly: false },
      "cart=%C3%BC%3B%2C%20%0D%0A; Path=/; SameSite=Lax; Max-Age=86400",
    ],
    ["old", null, "old=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0"],
    ["wide", { value: "1", sameSite: "none", path: "/a" }, "wide=1; Path=/a; HttpOnly; SameSite=None; Secure"],
    ["__Host-id", { value: "1", secure: false }, "__Host-id=1; Path=/; HttpOnly; SameSite=Lax; Secure"],
  ])("%s: %j is safe where nothing else is said", (name, value, sent) => {
    expect(cookiesOf({ [name]: value })).toEqual([sent]);
  });

  test("over https they are bound to it", () => {
    expect(replyCookies(reply(null, { cookies: { a: "1" } }), true)).toEqual([
      "a=1; Path=/; HttpOnly; SameSite=Lax; Secure",
    ]);
  });

  test.each([
    [{ fw_session: "x" }, "the cookie fw_session is reserved for fw"],
    [{ "__host-FW_csrf": "x" }, "the cookie __host-FW_csrf is reserved for fw"],
    [{ "a b": "x" }, '"a b" is not a valid cookie name'],
    [{ "a=b; Domain": "x" }, '"a=b; Domain" is not a valid cookie name'],
    [{ a: { value: "x", path: "/; Domain=evil.example" } }, /is invalid/],
    [{ a: { value: "x", path: "a" } }, /is invalid/],
    [
      { "__Host-a": { value: "x", path: "/a" } },
      "the cookie __Host-a is for all paths because of its prefix: leave out path",
    ],
    [{ a: { value: "x", maxAge: "soon" } }, 'the maxAge of the cookie a is not a duration: "soon"'],
    [{ a: "x".repeat(4096) }, "the cookie a has more than 4096 bytes"],
  ])("%j is refused", (cookies, message) => {
    expect(() => cookiesOf(cookies)).toThrow(message);
  });
});

test.each([
  [reply("x", { status: 204 }), "has a body, but a response with status 204 has none"],
  [reply("x", { status: 304 }), "has a body, but a response with status 304 has none"],
  [reply("x", { status: 99 as never }), "has the invalid status 99"],
  [reply(reply("x")), "has another reply as its body"],
])("a reply that contradicts itself is a mistake of the program: %j", (made, why) => {
  expect(() => requireReply({ kind: "api", route: "GET /x", maxAge: 0 }, made)).toThrow(`the reply of GET /x ${why}`);
});

test("a reply of a route with a maxAge sets no cookie", () => {
  const made = reply("x", { cookies: { a: "1" } });
  expect(() => requireReply({ kind: "api", route: "GET /x", maxAge: 60 }, made)).toThrow("sets cookies");
});
