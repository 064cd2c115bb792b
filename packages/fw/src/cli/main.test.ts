import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { writeApp } from "../analysis/testing/app.ts";
import { commands } from "./commands/index.ts";
import { commandsPage, helpColumns } from "./help.ts";
import { fw } from "./testing/run.ts";

const here = tmpdir();

test("fw, fw help and fw --help list every command", async () => {
  const [bare, word, flag] = [await fw(here), await fw(here, "help"), await fw(here, "--help")];
  expect(bare).toEqual(word);
  expect(word).toEqual(flag);
  expect(flag.code).toBe(0);
  for (const { name, summary } of commands) expect(flag.out).toMatch(new RegExp(`${name} +${summary}`));
  expect(tooWide(flag.out)).toEqual([]);
});

test("fw --version prints the version alone", async () => {
  expect((await fw(here, "--version")).out).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test.each(commands.map(({ name }) => name))("fw %s --help shows its options", async (name) => {
  const help = await fw(here, ...name.split(" "), "--help");
  expect(help).toMatchObject({ code: 0, err: "" });
  expect(help.out).toMatch(new RegExp(`^Usage: fw ${name} .*\\[options\\]$`, "m"));
  expect((await fw(here, "help", ...name.split(" "))).out).toBe(help.out);
  expect(tooWide(help.out)).toEqual([]);
  for (const option of Object.keys(commands.find((each) => each.name === name)?.options ?? {})) {
    expect(help.out).toContain(`--${option}`);
  }
});

test.each([
  [["chekc"], `fw: there is no command "fw chekc"; did you mean "fw check"?\n`],
  [["gen", "clinet"], `fw: there is no command "fw gen clinet"; did you mean "fw gen client ts"?\n`],
  [["gen", "grph"], `fw: there is no command "fw gen grph"; did you mean "fw gen graph"?\n`],
  [
    ["gen"],
    `fw: "fw gen" needs more words: "fw gen client ts", "fw gen openapi", "fw gen graph", "fw gen grafana", "fw gen sql", "fw gen compose", "fw gen kubernetes" or "fw gen terraform"\n`,
  ],
  [["gen", "client"], `fw: "fw gen client" needs one more word: "fw gen client ts"\n`],
  [["zzzzzz"], `fw: there is no command "fw zzzzzz"; "fw --help" lists the commands\n`],
  [["dev", "--prot", "1"], `fw: "fw dev" has no option "--prot"; did you mean "--port"?\n`],
  [["dev", "--verbose"], `fw: "fw dev" has no option "--verbose"; see "fw dev --help"\n`],
  [["dev", "--port", "http"], `fw: "--port" must be a number from 0 to 65535, not "http"\n`],
  [
    ["dev", "--allowed-host", "https://app.example"],
    `fw: "--allowed-host" must be a name such as app.example, or .example for every name below it, not "https://app.example"\n`,
  ],
  [["dev", "--port"], `fw: "--port" needs a value: --port <port>\n`],
  [["check", "src"], `fw: "fw check" does not take "src"\n`],
  [["check", "--json=yes"], `fw: "--json" takes no value\n`],
  [
    ["check", "--format", "srif"],
    `fw: "--format" must be "text", "json", "sarif" or "github", not "srif"; did you mean "sarif"?\n`,
  ],
  [["check", "--json", "--format", "sarif"], `fw: use either "--json" or "--format sarif"\n`],
  [["-C", "/nowhere/at/all", "check"], `fw: /nowhere/at/all is not a directory\n`],
  [["--port", "1"], `fw: "--port" must follow a command: fw <command> --port\n`],
  [["check", "--__proto__", "x"], `fw: "fw check" has no option "--__proto__"; see "fw check --help"\n`],
])("fw %j is refused with a sentence and exit code 2", async (argv, sentence) => {
  expect(await fw(here, ...argv)).toEqual({ code: 2, out: "", err: sentence });
});

test("outside of an application every command says so", async () => {
  // `fw lsp`, `fw new` and `fw docs` work outside of an application.
  for (const { name, arguments: args = [] } of commands.filter(({ name }) => !["lsp", "new", "docs"].includes(name))) {
    const words = args.filter(({ takes }) => takes === undefined).map((argument) => argument.name);
    const { code, err } = await fw("/", ...name.split(" "), ...words);
    expect(code).toBe(2);
    expect(err).toContain("is not in an application: no package.json here or in a directory above");
  }
});

test.each([
  ["", "run npm install"],
  ["-- pnpm-lock.yaml --\n", "run pnpm install"],
  ["-- .pnp.cjs --\n", "Plug'n'Play, which TypeScript cannot resolve packages from: add \"nodeLinker: node-modules\""],
])("a missing installation of fw is one sentence: %j", async (files, sentence) => {
  await using app = await writeApp(
    `${files}-- package.json --\n{ "name": "shop", "dependencies": { "fw": "*" } }\n-- shop/shop.ts --\nimport { API } from "fw";\n`,
  );
  for (const command of ["check", "dev", "test", "build", "gen graph", "gen openapi", "gen client ts"]) {
    const { code, out, err } = await fw(app.root, ...command.split(" "));
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(sentence);
  }
});

test("a file in the place of what fw makes is named by every command that reads or makes it", async () => {
  await using app = await writeApp(`-- package.json --\n{ "name": "shop" }\n-- .fw --\nmine\n`);
  for (const command of ["check", "dev", "test", "build", "serve", "logs", "gen graph"]) {
    const { code, out, err } = await fw(app.root, ...command.split(" "));
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toBe(
      `fw: ${app.root}/.fw is a file, but fw stores its files in a directory of that name; move the file away\n`,
    );
  }
});

test("above applications, where nothing is declared, the commands name them", async () => {
  await using app = await writeApp(`-- package.json --
{ "name": "workspace" }
-- services/shop/package.json --
{ "name": "shop", "dependencies": { "fw": "*" } }
-- tools/package.json --
{ "name": "tools" }
`);
  for (const command of [
    ["dev", "--port", "0"],
    ["gen", "graph"],
  ]) {
    const { code, out, err } = await fw(app.root, ...command);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain('is a separate application: add "-C services/shop"\n');
  }
});

test("docs/commands.md is what the commands say of themselves", async () => {
  await expect(commandsPage(commands)).toMatchFileSnapshot("../../../../docs/commands.md");
});

function tooWide(help: string): readonly string[] {
  return help.split("\n").filter(({ length }) => length > helpColumns);
}
