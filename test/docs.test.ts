import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { manifestVersion } from "../packages/fw/src/build/manifest.ts";
import { kinds } from "../packages/fw/src/model/kinds.ts";
import { Workspace } from "../packages/fw/src/workspace/workspace.ts";
import { printLine } from "../packages/fw/src/cli/print/text.ts";
import { writeApplication } from "./support/dev-app.ts";
import { anchorsOf, linksOf, resolveLink, shownFiles } from "./support/markdown.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const text = (page: string): string => readFileSync(join(root, page), "utf8");

const pages = pagesBelow("");

test("every relative link of a page leads to a file, and every anchor to a heading", () => {
  const broken = pages.flatMap((page) =>
    linksOf(text(page))
      .filter((link) => isBroken(page, link))
      .map((link) => `${page}: ${link}`),
  );
  expect(broken).toEqual([]);
});

test("no paragraph of a page follows itself", () => {
  const repeated = pages.flatMap((page) => {
    const paragraphs = text(page).split(/\n{2,}/);
    return paragraphs.filter((each, i) => each !== "" && each === paragraphs[i - 1]).map((each) => `${page}: ${each}`);
  });
  expect(repeated).toEqual([]);
});

test("every page of docs/ is linked from docs/README.md", () => {
  const linked = new Set(linksOf(text("docs/README.md")).map((link) => resolveLink("docs/README.md", link)?.file));
  const unlinked = readdirSync(join(root, "docs")).filter(
    (file) => file.endsWith(".md") && !linked.has(`docs/${file}`),
  );
  expect(unlinked.filter((file) => file !== "README.md")).toEqual([]);
});

test("each function that declares something is in a row of docs/README.md, whose page is about it", () => {
  const rows = text("docs/README.md").matchAll(/^\| \[([\w-]+\.md)\]\([^)]+\) \| (.*) \|$/gm);
  const pagesByName = new Map(
    Array.from(rows).flatMap(([, page = "", about = ""]) =>
      Array.from(about.matchAll(/`([A-Z]\w+)`/g), ([, name = ""]) => [name, page] as const),
    ),
  );
  const undocumented = Object.values(kinds)
    .flatMap(({ functions }): readonly string[] => functions)
    .filter((name) => {
      const page = pagesByName.get(name);
      return page === undefined || !new RegExp(`\\b${name}[<(]`).test(text(`docs/${page}`));
    });
  expect(undocumented).toEqual([]);
});

test("docs/build.md has the version of the manifest and names each of its fields", () => {
  const [, reference = ""] = text("docs/build.md").split("## The manifest");
  const interfaces = text("packages/fw/src/build/manifest.ts").matchAll(
    /^export interface Manifest\w* \{$([^]*?)^\}$/gm,
  );
  const fields = Array.from(interfaces).flatMap(([, body = ""]) =>
    Array.from(body.matchAll(/^  readonly (\w+)\??:/gm), ([, name = ""]) => name),
  );
  expect(fields).toContain("authenticators");
  expect(fields.filter((name) => !new RegExp(`\`[^\`]*\\b${name}\\b[^\`]*\``).test(reference))).toEqual([]);
  expect(reference).toContain(`| \`version\` | ${manifestVersion};`);
});

test("every decision has a number of its own, in its file's name and in its title", () => {
  const files = readdirSync(join(root, "docs/decisions")).toSorted();
  const numbers = files.map((file) => /^# (\d+)\. /.exec(text(`docs/decisions/${file}`))?.[1]?.padStart(4, "0"));
  expect(numbers).toEqual(files.map((_, i) => String(i + 1).padStart(4, "0")));
  expect(files.map((file) => file.slice(0, 4))).toEqual(numbers);
});

describe("the application that a page shows has no mistake", () => {
  const examples = pages
    .filter((page) => /^docs\/[^/]+\.md$|^README\.md$/.test(page))
    .map((page) => ({ page, files: shownFiles(text(page)) }))
    .filter(({ files }) => Object.keys(files).some((file) => file.endsWith(".ts")));

  test("and there are such pages", () => {
    expect(examples.length).toBeGreaterThan(6);
  });

  test.each(examples)("$page", async ({ files }) => {
    const app = writeApplication({ ...sites(files), ...files });
    for (const name of ["nodemailer", "zod"])
      symlinkSync(join(root, "node_modules", name), join(app, "node_modules", name));
    try {
      const workspace = new Workspace({ root: app, env: process.env });
      await workspace.read({ types: true });
      const diagnostics = await workspace.problems().finally(() => workspace.close());
      expect(diagnostics.map((each) => printLine(each))).toEqual([]);
    } finally {
      rmSync(app, { recursive: true });
    }
  });
});

function pagesBelow(dir: string): string[] {
  return readdirSync(join(root, dir), { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) return /^(?:\.|node_modules$|dist$)/.test(entry.name) ? [] : pagesBelow(path);
    return entry.name.endsWith(".md") ? [path] : [];
  });
}

function isBroken(page: string, link: string): boolean {
  const target = resolveLink(page, link);
  if (target === undefined) return false;
  if (!existsSync(join(root, target.file))) return true;
  return target.anchor !== "" && !anchorsOf(text(target.file)).has(target.anchor);
}

/** Returns empty files for the templates that a page's code refers to, because the page need not show them. */
function sites(files: Readonly<Record<string, string>>): Record<string, string> {
  const anchors: Record<string, string> = {};
  for (const [path, source] of Object.entries(files)) {
    for (const [, dir = ""] of source.matchAll(/\bSite\("([^"]+)"/g)) {
      const templates = join(path, "..", dir, "templates");
      anchors[join(templates, "layout.html")] = "{{content}}";
      for (const [, name = ""] of source.matchAll(/(?:\b(?:render|fragment)\(ctx, |\bnotFound: )"([^"]+)"/g)) {
        anchors[join(templates, name)] = "";
      }
    }
  }
  return anchors;
}
