import { describe, expect, test } from "vitest";
import { useAppBench } from "../testing/app-bench.ts";
import { hostnameMistake } from "./domain/domain.ts";

const bench = useAppBench();

const inPackage = (dir: string) =>
  `-- ${dir}/s.ts --\nimport { API, Service } from "fw";\nexport const s = Service({ domain: "shop.example.com" });\nexport const a = API("GET /", () => 1);\n`;

describe("domain: the domain is not a bare fully-qualified hostname", () => {
  test.each([
    "example.com",
    "shop.example.com",
    "a.b.c.d.example.co.uk",
    "x--1.example.com",
    "xn--bcher-kva.example",
    "1password.com",
    `${"a".repeat(60)}.com`,
  ])("%s is one", (name) => {
    expect(hostnameMistake(name)).toBeUndefined();
  });

  test.each([
    ["https://example.com", "has a scheme", 'write "example.com"'],
    ["//example.com", "has a path", 'write a bare fully-qualified name, such as "shop.example.com"'],
    ["example.com/shop", "has a path", 'write "example.com"'],
    ["example.com?x", "has a path", 'write "example.com"'],
    ["example.com:443", "has a port", 'write "example.com"'],
    ["example.com.", "ends with a dot", 'write "example.com"'],
    ["*.example.com", "is a wildcard", "declare one name; a service has one domain"],
    ["localhost", "has no dot", 'write a bare fully-qualified name, such as "shop.example.com"'],
    ["", "is empty", "remove the setting to use the platform's address"],
    ["10.0.0.1", "is an address, not a name", 'write a bare fully-qualified name, such as "shop.example.com"'],
    [`${"a".repeat(61)}.com`, "is longer than 64 characters", "the platform does not support longer names"],
    ["Shop.Example.com", "has capital letters", 'write "shop.example.com"'],
    ["bücher.example", "has non-ASCII letters", "write its xn-- form"],
    [
      "a..example.com",
      "has two dots in a row or begins with one",
      'write a bare fully-qualified name, such as "shop.example.com"',
    ],
    [
      "-shop.example.com",
      'has "-shop", which is not a part of a hostname',
      "each part between dots has 1 to 63 letters, digits and hyphens, with a letter or digit at both ends",
    ],
    [
      "my_shop.example.com",
      'has "my_shop", which is not a part of a hostname',
      "each part between dots has 1 to 63 letters, digits and hyphens, with a letter or digit at both ends",
    ],
    [
      "me@example.com",
      'has "me@example", which is not a part of a hostname',
      "each part between dots has 1 to 63 letters, digits and hyphens, with a letter or digit at both ends",
    ],
  ])("%j %s", (name, problem, hint) => {
    expect(hostnameMistake(name)).toEqual({ problem, hint });
  });

  test("a domain with a scheme, port, path, trailing dot or wildcard, or without a dot, is refused", async () => {
    const written = ["https://a.com", "b.com:80", "c.com/d", "d.com.", "*.e.com", "localhost"];
    const app = written.map(
      (domain, index) =>
        `-- p${index}/s.ts --\nimport { Service, Site } from "fw";\nexport const s = Service({ domain: "${domain}" });\nexport const site = Site("./w", { build: { command: "x", out: "./w" } });\n`,
    );
    expect(await bench.print(app.join(""))).toEqual(
      written.map((_, index) =>
        expect.stringMatching(new RegExp(`^p${index}/s\\.ts:2:36: the domain .* \\(fw/domain\\)$`)),
      ),
    );
  });

  test("a domain has at most 64 characters", () => {
    expect(hostnameMistake(`${"a".repeat(60)}.com`)).toBeUndefined();
    expect(hostnameMistake(`${"a".repeat(61)}.com`)?.problem).toBe("is longer than 64 characters");
  });

  test("two services cannot have one name: the later in package order is told", async () => {
    expect(await bench.print(inPackage("b") + inPackage("a"))).toEqual([
      'b/s.ts:2:36: the domain "shop.example.com" is declared by two services (fw/domain)',
    ]);
  });
});

describe("domain-unreachable: the package holding the domain serves no public traffic", () => {
  const service =
    'import { API, Page, Service, Site, StatusPage } from "fw";\nexport const s = Service({ domain: "shop.example.com" });\n';
  const printed = (source: string) =>
    bench.print(
      `-- shop/shop.ts --\n${service}${source}\n-- other/site.ts --\nimport { Site } from "fw";\nexport const site = Site("./w", { build: { command: "x", out: "./w" } });\n`,
    );
  const unreachable = [
    'shop/shop.ts:2:36: the package "shop" has a domain but serves no public traffic (fw/domain-unreachable)',
  ];

  test.each([
    ['export const a = API("GET /", () => 1, { private: true });', unreachable],
    ["export const status = StatusPage(() => { throw 1; });", unreachable],
    ["", unreachable],
    ['export const a = API("GET /", () => 1);', []],
    ['export const a = API("GET /", () => 1, { signIn: true });', []],
    ['export const p = Page("GET /", () => { throw 1; });', []],
    ['export const site = Site("./w", { build: { command: "x", out: "./w" } });', []],
  ])("%s", async (source, expected) => {
    expect(await printed(source)).toEqual(expected);
  });

  test("a route that is misplaced or misread is no second reason to complain", async () => {
    expect(await printed('function f() { API("GET /", () => 1); }')).toHaveLength(1);
    expect(await printed('declare const c: {};\nexport const a = API("GET /", () => 1, c);')).toHaveLength(1);
  });
});
