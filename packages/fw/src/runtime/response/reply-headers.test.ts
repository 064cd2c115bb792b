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
    ["Set-Cookie", "a reply does not set Set-Cookie: a reply has cookies: reply(body, { cookies })"],
    ["content-LENGTH", "a reply does not set content-LENGTH: the body decides on it"],
    ["Transfer-Encoding", "a reply does not set Transfer-Encoding: the server decides on it"],
    ["Connection", "a reply does not set Connection: the server decides on it"],
    ["Vary", "a reply does not set Vary: the headers and cookies that a request binds decide on it"],
    ["Cache-Control", "a reply does not set Cache-Control: a route's maxAge decides on it"],
    ["Content-Type", "a reply does not set Content-Type: the body decides on it, blob(…, { type }) among them"],
    ["X-Fw-Result", "a reply does not set X-Fw-Result: such names are fw's own"],
    ["Access-Control-Allow-Origin", /the origins of the Service decide on it/],
    ["X Page", '"X Page" is no name of a header'],
    ["", '"" is no name of a header'],
    ["X-A\r\nSet-Cookie", /is no name of a header/],
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
    [{ fw_session: "x" }, "the cookie fw_session is fw's own"],
    [{ "__host-FW_csrf": "x" }, "the cookie __host-FW_csrf is fw's own"],
    [{ "a b": "x" }, '"a b" is no name of a cookie'],
    [{ "a=b; Domain": "x" }, '"a=b; Domain" is no name of a cookie'],
    [{ a: { value: "x", path: "/; Domain=evil.example" } }, /is no path/],
    [{ a: { value: "x", path: "a" } }, /is no path/],
    [{ "__Host-a": { value: "x", path: "/a" } }, "the cookie __Host-a is for every path: leave path out"],
    [{ a: { value: "x", maxAge: "soon" } }, 'the maxAge of the cookie a is no duration: "soon"'],
    [{ a: "x".repeat(4096) }, "the cookie a has more than 4096 bytes"],
  ])("%j is refused", (cookies, message) => {
    expect(() => cookiesOf(cookies)).toThrow(message);
  });
});

test.each([
  [reply("x", { status: 204 }), "has a body, and the status 204, which has none"],
  [reply("x", { status: 304 }), "has a body, and the status 304, which has none"],
  [reply("x", { status: 99 as never }), "has the status 99, which no answer has"],
  [reply(reply("x")), "has a reply as its body"],
])("a reply that contradicts itself is a mistake of the program: %j", (made, why) => {
  expect(() => requireReply({ kind: "api", route: "GET /x", maxAge: 0 }, made)).toThrow(`the reply of GET /x ${why}`);
});

test("a reply of a route with a maxAge sets no cookie", () => {
  const made = reply("x", { cookies: { a: "1" } });
  expect(() => requireReply({ kind: "api", route: "GET /x", maxAge: 60 }, made)).toThrow("sets cookies");
});
