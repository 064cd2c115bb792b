import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { rules } from "../../analysis/rules/index.ts";
import { commands } from "../commands/index.ts";
import { fw } from "../testing/run.ts";

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

test.each([
  ["upload a file", "bucket.md"],
  ["how do I sign in with google", "serve.md"],
  ["retry a message", "delivery.md"],
  ["send mails", "mail.md"],
  ["rename a field", "changing-data.md"],
  ["websockets", "socket.md"],
  ["cron schedules", "cron.md"],
  ["file upload size limit", "blob.md"],
  ["autoscaler", "self-hosting.md"],
])("a search for %s leads to %s", async (words, page) => {
  const { out } = await fw("/", "docs", ...words.split(" "), "--json");
  const matches = JSON.parse(out) as readonly { readonly path: string }[];
  expect(matches.slice(0, 5).map(({ path }) => path)).toContain(page);
});

test("every command that only reads prints JSON on request", () => {
  const others = commands.filter(({ options }) => !("json" in options)).map(({ name }) => name);
  // These commands print a document or a report.
  expect(
    others.filter(
      (name) =>
        !/^(?:new|dev|serve|build|deploy|backup|restore|data .*|lsp|mcp|seed|test|gen .*|run .*|dead (?:drop|replay)|users (?:create|password|grant|revoke|disable|enable|delete|drop-2fa|sign-out))$/.test(
          name,
        ),
    ),
  ).toEqual([]);
});
