import { array, assert, asyncProperty, constantFrom, oneof, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { apis, bundleOf, start } from "../testing/app.ts";
import { accepted, get, next, refusedRequests } from "../testing/odd-requests.ts";
import { exchange } from "../testing/server.ts";

function app(served: string[] = []) {
  const run = (route: string) => () => void served.push(route);
  return start(bundleOf(apis({ "GET /": run("/"), "POST /": run("POST /"), "GET /next": run("/next") })));
}

describe("every ambiguous request is refused, and nothing after it is answered:", () => {
  for (const [what, request] of Object.entries(refusedRequests)) {
    test(what, async () => {
      const served: string[] = [];
      await using server = await app(served);
      const answer = await exchange(server.port, Buffer.from(request + next, "latin1"));
      expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
      expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
      expect(answer).toMatch(/connection: close/i);
      // A POST with a valid head may reach its handler before its body turns out to be malformed.
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
  for (const request of Object.values(refusedRequests).filter(
    (each) => !each.includes("Transfer-Encoding: chunked\r\n\r\n"),
  )) {
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
