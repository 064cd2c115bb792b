import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { openAnalyzer } from "./index.ts";
import { writeTypedApp } from "./testing/typed-app.ts";

const directory = fileURLToPath(new URL("testing/ordinary", import.meta.url));

interface Snippet {
  readonly title: string;
  readonly code: string;
}

/** Reads snippets in the style of users of Express, Hono, Nest, tRPC and Encore; `$` makes names unique. */
function readSnippets(): readonly Snippet[] {
  return readdirSync(directory).flatMap((file) => {
    const text = readFileSync(join(directory, file), "utf8");
    return text
      .split(/^-- /m)
      .slice(1)
      .map((each) => {
        const [title = "", ...lines] = each.split("\n");
        return { title: `${file}: ${title.replace(/ --$/, "")}`, code: lines.join("\n") };
      });
  });
}

test("of 100 ordinary snippets at most one is refused without a fix", async () => {
  const snippets = readSnippets();
  expect(snippets).toHaveLength(100);
  const files = snippets.map(
    ({ code }, index) => `-- s${index}/s${index}.ts --\n${code.replaceAll(/\$(?!\{)/g, `${index}`)}`,
  );
  await using app = await writeTypedApp(
    `-- auth/auth.ts --\nimport { Auth } from "fw";\nexport const auth = Auth({ password: true });\n${files.join("")}`,
  );
  const analyzer = openAnalyzer(app.root);
  const { diagnostics } = await analyzer.analyze({ types: true });
  const problems = [...diagnostics, ...(await analyzer.typeDiagnostics())];
  analyzer.close();
  // Reads of the machine's clock are refused if a test could not set the time, and fw writes the replacement.
  const clocks = problems.filter(({ code }) => code === "fw/machine-time");
  expect(clocks.map(({ fix }) => fix?.title)).toEqual(Array.from({ length: 3 }, () => "Change to ctx.now()"));
  const others = problems.filter((problem) => !clocks.includes(problem));
  const lines = others.map(({ at, code, message }) => {
    const index = Number(/^s(\d+)\//.exec(at.path)?.[1]);
    return { index, text: `${snippets[index]?.title}:${at.line} ${message} (${code})` };
  });
  const snippetsWithProblems = new Set(lines.map(({ index }) => index));
  // The specification refuses a request type that is not exported.
  expect(snippetsWithProblems.size, lines.map(({ text }) => text).join("\n")).toBeLessThanOrEqual(1);
});
