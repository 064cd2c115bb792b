import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { rules } from "../../analysis/rules/index.ts";
import { commands } from "../commands/index.ts";
import { fw } from "../testing/run.ts";
import { searchDocs } from "./search.ts";

const installed = fileURLToPath(new URL("../../../dist/docs", import.meta.url));

interface Reference {
  readonly commands: readonly { readonly name: string }[];
  readonly pages: readonly { readonly path: string; readonly title: string; readonly sections: readonly string[] }[];
  readonly rules: readonly { readonly id: string }[];
}

test("the reference has every command, every rule and every page with its sections", async () => {
  const reference = JSON.parse((await fw("/", "docs", "--json")).out) as Reference;
  expect(reference.commands.map(({ name }) => name)).toEqual(commands.map(({ name }) => name));
  expect(reference.rules.map(({ id }) => id).toSorted()).toEqual(rules.map(({ id }) => `fw/${id}`).toSorted());
  const entity = reference.pages.find(({ path }) => path === "entity.md");
  expect(entity).toMatchObject({ title: "Entity", sections: expect.arrayContaining([expect.any(String)]) });
});

test("llms.txt leads to every page that is installed, and pages lead to each other", async () => {
  const pages = readdirSync(installed, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".md"));
  const { out } = await fw("/", "docs");
  expect(pages.filter((page) => !out.includes(`](${page})`))).toEqual([]);
  const broken = pages.flatMap((page) =>
    [...readFileSync(join(installed, page), "utf8").matchAll(/\]\(([^)#:]+\.md)[^)]*\)/g)]
      .filter(([, target = ""]) => !existsSync(join(installed, dirname(page), target)))
      .map(([link]) => `${page}: ${link}`),
  );
  expect(broken).toEqual([]);
});

test("a page and a rule are found by name, and a mistyped one is told", async () => {
  expect((await fw("/", "docs", "entity")).out).toMatch(/^# Entity\n/);
  expect((await fw("/", "docs", "fw/route-conflict")).out).toContain("# route-conflict");
  expect(JSON.parse((await fw("/", "docs", "queue", "--json")).out)).toMatchObject({
    path: "queue.md",
    title: "Queue and Worker",
  });
  expect(await fw("/", "docs", "entitty")).toEqual({
    code: 2,
    out: "",
    err: 'fw: there is no page "entitty"; did you mean "fw docs entity"?\n',
  });
});

interface Match {
  readonly path: string;
}

/** Returns the pages that a search lists, best first. */
async function pagesFor(words: string): Promise<readonly string[]> {
  const { out } = await fw("/", "docs", ...words.split(" "), "--json");
  const result = JSON.parse(out) as readonly Match[] | Match;
  return [...new Set([result].flat().map(({ path }) => path))];
}

test.each([
  ["upload a file", "bucket.md"],
  ["how do I sign in with google", "auth.md"],
  ["login with google", "sign-in.md"],
  ["retry a message", "delivery.md"],
  ["send mails", "mail.md"],
  ["rename a field", "changing-data.md"],
  ["migrate field", "changing-data.md"],
  ["websockets", "socket.md"],
  ["cron schedules", "cron.md"],
  ["test a cron", "testing.md"],
  ["file upload size limit", "blob.md"],
  ["cors", "service.md"],
  ["background job", "job.md"],
  ["env var", "secret.md"],
  ["rate limiting", "limit.md"],
  ["run in docker", "self-hosting.md"],
  ["n+1", "console.md"],
  ["pagination", "entity.md"],
  ["s3", "bucket.md"],
  ["getting started", "first-application.md"],
  ["polcy", "auth.md"],
  ["mock fetch", "testing.md"],
])("the first three pages for %s contain %s", async (words, page) => {
  expect((await pagesFor(words)).slice(0, 3)).toContain(page);
});

test("every phrase of the search words finds its page", async () => {
  const phrases = JSON.parse(
    readFileSync(new URL("../../../../../docs/search-words.json", import.meta.url), "utf8"),
  ) as Record<string, readonly string[]>;
  const { pages } = JSON.parse((await fw("/", "docs", "--json")).out) as Reference;
  expect(Object.keys(phrases).filter((path) => !pages.some((page) => page.path === path))).toEqual([]);
  const absent = Object.entries(phrases).flatMap(([path, each]) =>
    each
      .filter(
        (phrase) =>
          !searchDocs(phrase)
            .matches.slice(0, 8)
            .some((match) => match.path === path),
      )
      .map((phrase) => `${phrase}: ${path}`),
  );
  expect(absent).toEqual([]);
});

test("a search corrects a mistyped word, says which page to read, and what to do if nothing fits", async () => {
  const { out, err } = await fw("/", "docs", "google", "lgoin");
  expect(err).toBe('no page contains "lgoin"; these contain "login"\n');
  expect(out).toMatch(/\n\nTo read a page: fw docs auth\n$/);
  expect(await fw("/", "docs", "qzxv")).toEqual({
    code: 2,
    out: "",
    err: 'fw: no page contains "qzxv"; try other words, or run "fw docs" for the list of pages\n',
  });
});

test("the bare name of a rule prints the rule and names the guides about the word", async () => {
  const { out, err } = await fw("/", "docs", "retries");
  expect(out).toContain("# retries");
  expect(err).toMatch(/^\nThis is a rule\. Guides about retries: delivery, /);
  expect((await fw("/", "docs", "fw/retries")).err).toBe("");
});

test("every command that only reads prints JSON on request", () => {
  const others = commands.filter(({ options }) => !("json" in options)).map(({ name }) => name);
  // Exceptions: commands that change or run something, or print a document or a report.
  expect(
    others.filter(
      (name) =>
        !/^(?:new|dev|serve|build|deploy|backup|restore|data .*|lsp|mcp|seed|test|gen .*|run .*|dead (?:drop|replay)|users (?:create|password|grant|revoke|disable|enable|delete|drop-2fa|sign-out))$/.test(
          name,
        ),
    ),
  ).toEqual([]);
});
