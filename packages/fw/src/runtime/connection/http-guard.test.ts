import { array, assert, asyncProperty, constantFrom, oneof, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { apis, bundleOf, start } from "../testing/app.ts";
import { exchange } from "../testing/server.ts";

const get = (rest: string): string => `GET / HTTP/1.1\r\n${rest}\r\n\r\n`;
const post = (headers: string, body: string): string => `POST / HTTP/1.1\r\nHost: a\r\n${headers}\r\n\r\n${body}`;
const chunked = (body: string): string => post("Transfer-Encoding: chunked", body);
const hello = "5\r\nhello\r\n0\r\n\r\n";

/** What follows a refused request on its connection: it must never be answered. */
const next = "GET /next HTTP/1.1\r\nHost: a\r\n\r\n";

const refused: Readonly<Record<string, string>> = {
  "two Hosts": get("Host: a\r\nHost: b"),
  "two equal Hosts": get("Host: a\r\nHost: a"),
  "no Host on HTTP/1.1": get("Accept: */*"),
  "an empty Host": get("Host:"),
  "a blank in Host": get("Host: a b"),
  "a comma in Host": get("Host: a,b"),
  "a path in Host": get("Host: a/b"),
  "user information in Host": get("Host: u@a"),
  "a query in Host": get("Host: a?b"),
  "a fragment in Host": get("Host: a#b"),
  "a backslash in Host": get("Host: a\\b"),
  "an open bracket in Host": get("Host: [::1"),
  "letters for a port in Host": get("Host: a:b"),
  "six digits for a port in Host": get("Host: a:123456"),
  "two ports in Host": get("Host: a:1:2"),
  "a scheme in Host": get("Host: http://a"),
  "a byte beyond ASCII in Host": get("Host: \xe9"),
  "a broken escape in Host": get("Host: a%zz"),
  "a quote in Host": get('Host: a"b'),
  "markup in Host": get("Host: <a>"),
  "a blank before a header's colon": get("Host : a"),
  "a folded header": get("Host: a\r\nX: y\r\n z"),
  "a folded Transfer-Encoding": post("Transfer-Encoding:\r\n chunked", hello),
  "a folded Host": get("Host:\r\n a"),
  "a header before the first one's name": "GET / HTTP/1.1\r\n Host: a\r\n\r\n",
  "a header without a name": get("Host: a\r\n: x"),
  "a header without a colon": get("Host: a\r\nfoo"),
  "a NUL in a header": get("Host: a\r\nX: y\0z"),
  "a DEL in a header": get("Host: a\r\nX: \x7f"),
  "a bare CR in a header": get("Host: a\r\nX: y\rz"),
  "a bare CR that hides a header": get("Host: a\rTransfer-Encoding: chunked"),
  "a CR before a colon": get("Host: a\r\nX\r: y"),
  "a bare LF after a header": "GET / HTTP/1.1\r\nHost: a\nX: y\r\n\r\n",
  "bare LFs only": "GET / HTTP/1.1\nHost: a\n\n",
  "a bare LF at the end of the headers": "GET / HTTP/1.1\r\nHost: a\r\n\n",
  "HTTP/0.9": "GET / HTTP/0.9\r\nHost: a\r\n\r\n",
  "a request without a version": "GET /\r\n\r\n",
  "a request without a version but with headers": "GET /\r\nHost: a\r\n\r\n",
  "HTTP/1.2": "GET / HTTP/1.2\r\nHost: a\r\n\r\n",
  "HTTP/2.0": "GET / HTTP/2.0\r\nHost: a\r\n\r\n",
  "HTTP/3.0": "GET / HTTP/3.0\r\nHost: a\r\n\r\n",
  "HTTP/01.1": "GET / HTTP/01.1\r\nHost: a\r\n\r\n",
  "HTTP/1.10": "GET / HTTP/1.10\r\nHost: a\r\n\r\n",
  "a lower-case version": "GET / http/1.1\r\nHost: a\r\n\r\n",
  "a blank after the version": "GET / HTTP/1.1 \r\nHost: a\r\n\r\n",
  "the preface of HTTP/2": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "another protocol": "GET / ICE/1.0\r\nHost: a\r\n\r\n",
  "a TLS handshake": "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
  "a lower-case method": "get / HTTP/1.1\r\nHost: a\r\n\r\n",
  "a blank before the method": " GET / HTTP/1.1\r\nHost: a\r\n\r\n",
  "a tab after the method": "GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n",
  "a blank in the target": "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n",
  "a control character in the target": "GET /\x01 HTTP/1.1\r\nHost: a\r\n\r\n",
  "a byte beyond ASCII in the target": "GET /\xe9 HTTP/1.1\r\nHost: a\r\n\r\n",
  "a fragment in the target": "GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n",
  "a target that names another host": "GET http://b/ HTTP/1.1\r\nHost: a\r\n\r\n",
  "a target that names another port": "GET http://a:81/ HTTP/1.1\r\nHost: a\r\n\r\n",
  "a target that names a user": "GET http://u@a/ HTTP/1.1\r\nHost: a\r\n\r\n",
  "a target of another scheme": "GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n",
  "a target without a slash": "GET a HTTP/1.1\r\nHost: a\r\n\r\n",
  "a star for another method than OPTIONS": "GET * HTTP/1.1\r\nHost: a\r\n\r\n",
  "Content-Length beside Transfer-Encoding": post("Content-Length: 5\r\nTransfer-Encoding: chunked", hello),
  "Transfer-Encoding beside Content-Length": post("Transfer-Encoding: chunked\r\nContent-Length: 5", hello),
  "two Content-Lengths": post("Content-Length: 5\r\nContent-Length: 6", "hello!"),
  "two equal Content-Lengths": post("Content-Length: 5\r\nContent-Length: 5", "hello"),
  "a list of Content-Lengths": post("Content-Length: 5, 5", "hello"),
  "a signed Content-Length": post("Content-Length: +5", "hello"),
  "a negative Content-Length": post("Content-Length: -5", "hello"),
  "a hexadecimal Content-Length": post("Content-Length: 0x5", "hello"),
  "a blank in Content-Length": post("Content-Length: 5 5", "hello"),
  "an empty Content-Length": post("Content-Length:", "hello"),
  "a Content-Length beyond 64 bits": post("Content-Length: 99999999999999999999", "hello"),
  "Transfer-Encoding on HTTP/1.0": `POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${hello}`,
  "a Transfer-Encoding other than chunked": post("Transfer-Encoding: gzip", hello),
  "a Transfer-Encoding before chunked": post("Transfer-Encoding: gzip, chunked", hello),
  "a Transfer-Encoding after chunked": post("Transfer-Encoding: chunked, gzip", hello),
  "identity as Transfer-Encoding": post("Transfer-Encoding: identity", hello),
  "chunked twice": post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", hello),
  "chunked, then identity": post("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", hello),
  "an empty element before chunked": post("Transfer-Encoding: ,chunked", hello),
  "a parameter of chunked": post("Transfer-Encoding: chunked;a=b", hello),
  "chunked in quotes": post('Transfer-Encoding: "chunked"', hello),
  "a vertical tab before chunked": post("Transfer-Encoding: \x0bchunked", hello),
  "a word that ends in chunked": post("Transfer-Encoding: xchunked", hello),
  "an empty Transfer-Encoding": post("Transfer-Encoding:", hello),
  "a bare LF after a chunk's size": chunked("5\nhello\r\n0\r\n\r\n"),
  "a bare LF after a chunk": chunked("5\r\nhello\n0\r\n\r\n"),
  "a bare LF after a chunk's extension": chunked("5;a\nhello\r\n0\r\n\r\n"),
  "a bare CR in a chunk's extension": chunked("5;a\rX\r\nhello\r\n0\r\n\r\n"),
  "a NUL in a chunk's extension": chunked("5;a\0\r\nhello\r\n0\r\n\r\n"),
  "an open quote in a chunk's extension": chunked('5;a="x\r\nhello\r\n0\r\n\r\n'),
  "a blank after a chunk's size": chunked("5 \r\nhello\r\n0\r\n\r\n"),
  "a chunk's size with a prefix": chunked("0x5\r\nhello\r\n0\r\n\r\n"),
  "a negative size of a chunk": chunked("-5\r\nhello\r\n0\r\n\r\n"),
  "no size of a chunk": chunked("\r\nhello\r\n0\r\n\r\n"),
  "a chunk's size beyond 64 bits": chunked("10000000000000005\r\nhello\r\n0\r\n\r\n"),
  "a chunk that is longer than its size": chunked("5\r\nhelloXX0\r\n\r\n"),
  "a Content-Length among the trailers": chunked("5\r\nhello\r\n0\r\nContent-Length: 7\r\n\r\n"),
  "a bare LF after the trailers": chunked("0\r\n\n"),
};

const accepted: Readonly<Record<string, string>> = {
  "a port in Host": get("Host: a:8080\r\nConnection: close"),
  "an IPv6 address in Host": get("Host: [::1]:8080\r\nConnection: close"),
  "an upper-case Host": get("Host: EXAMPLE.com\r\nConnection: close"),
  "HTTP/1.0 without a Host": "GET / HTTP/1.0\r\n\r\n",
  "a target that names the same host": "GET http://A/?x=1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
  "a target of the host alone": "GET http://a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
  "chunked in another case": `POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\ntRANSFER-eNCODING: Chunked\r\n\r\n${hello}`,
  "a chunk's extension": `POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\n\r\n`,
  "empty lines before the request": `\r\n\r\n${get("Host: a\r\nConnection: close")}`,
};

function app(served: string[] = []) {
  const run = (route: string) => () => void served.push(route);
  return start(bundleOf(apis({ "GET /": run("/"), "POST /": run("POST /"), "GET /next": run("/next") })));
}

describe("every ambiguous request is refused, and nothing after it is answered:", () => {
  for (const [what, request] of Object.entries(refused)) {
    test(what, async () => {
      const served: string[] = [];
      await using server = await app(served);
      const answer = await exchange(server.port, Buffer.from(request + next, "latin1"));
      expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
      expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
      expect(answer).toMatch(/connection: close/i);
      // A POST whose headers are fine may have been served before its body turned out to be broken.
      expect(served).not.toContain("/next");
    });
  }
});

describe("what only looks odd is served:", () => {
  for (const [what, request] of Object.entries(accepted)) {
    test(what, async () => {
      await using server = await app();
      expect(await exchange(server.port, Buffer.from(request, "latin1"))).toMatch(/^HTTP\/1\.1 204 /);
    });
  }
});

test("a request refused by its headers never reaches a handler", async () => {
  const served: string[] = [];
  await using server = await app(served);
  for (const request of Object.values(refused).filter((each) => !each.includes("Transfer-Encoding: chunked\r\n\r\n"))) {
    await exchange(server.port, Buffer.from(request + next, "latin1"));
  }
  expect(served).toEqual([]);
});

test("a tunnel is refused: a service is no proxy", async () => {
  await using server = await app();
  expect(await exchange(server.port, "CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n")).toMatch(/^HTTP\/1\.1 405 /);
});

test("an unknown expectation is refused with 417", async () => {
  await using server = await app();
  const request = "POST / HTTP/1.1\r\nHost: a\r\nExpect: magic\r\nContent-Length: 0\r\n\r\n";
  expect(await exchange(server.port, request)).toMatch(/^HTTP\/1\.1 417 /);
});

test("an upgrade that nobody offers is an ordinary request", async () => {
  await using server = await app();
  const request = get("Host: a\r\nConnection: Upgrade, close\r\nUpgrade: websocket");
  expect(await exchange(server.port, request)).toMatch(/^HTTP\/1\.1 204 /);
});

test("no bytes bring the server down", async () => {
  await using server = await app();
  const pieces = [
    "GET ",
    "/",
    " HTTP/1.1",
    "\r\n",
    "\r",
    "\n",
    "Host: a",
    ": ",
    "Transfer-Encoding: chunked",
    "0",
    "5",
  ];
  const bytes = array(oneof(constantFrom(...pieces), string({ maxLength: 5 })), { maxLength: 30 });
  await assert(
    asyncProperty(bytes, async (parts) => {
      await exchange(server.port, `${parts.join("")}\r\n\r\nX X X\r\n\r\n`);
      return (await exchange(server.port, get("Host: a\r\nConnection: close"))).startsWith("HTTP/1.1 204 ");
    }),
    { numRuns: 100 },
  );
});
