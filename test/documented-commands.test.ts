import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { bin } from "./support/build.ts";
import { writeApplication } from "./support/dev-app.ts";
import { startServe, type Served } from "./support/served.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * Reasons why no test runs a block, written after its language as in "sh google". The block's commands must match the
 * reason's expression. docs/commands.md is a reference, whose examples are independent.
 */
const reasons: Readonly<Record<string, RegExp>> = {
  docker: /^docker compose /,
  git: /--against origin\//,
  google: /gcloud |--project |terraform apply/,
  network: /npm install|skopeo |podman /,
  node24: /fw serve --allow /,
  engines: /fw serve --engine /,
  server:
    /fw dev|fw serve --(?:dashboard|migrate|processes|service)|npm start|psql |fw logs|--watch|localhost:|FW_OBJECTS|systemctl |node \.fw\/build/,
};

/** The pages whose blocks run in order on one machine. */
const guides = ["metric.md", "cloud.md", "serve.md", "data.md", "changing-data.md", "self-hosting.md"];

interface Block {
  readonly page: string;
  readonly reason: string;
  readonly commands: string;
}

const blocks = ["README.md", ...readdirSync(join(root, "docs")).map((file) => `docs/${file}`)]
  .filter((page) => page.endsWith(".md") && page !== "docs/commands.md")
  .flatMap((page): Block[] => {
    const text = readFileSync(join(root, page), "utf8");
    return [...text.matchAll(/^```(?:sh|bash|shell|console)\b *([^\n]*)\n(.*?)^```/gms)].map(
      ([, reason = "", commands = ""]) => ({ page: page.replace("docs/", ""), reason, commands }),
    );
  });

test("every block of commands in the docs is run by a test, or says why none can, and shows it", () => {
  const unexplained = blocks.filter(({ page, reason, commands }) =>
    reason === "" ? !guides.includes(page) : !reasons[reason]?.test(commands),
  );
  expect(unexplained).toEqual([]);
});

const notes = `
-- notes/notes.ts --
import { API, Auth, Entity, Role } from "fw";
import type { ID } from "fw";
export const auth = Auth({ password: true });
export const editor = Role("editor");
export interface Note { id: ID; text: string }
export const notes = Entity<Note>("notes");
export const write = API("POST /notes", (ctx, { text }: { text: string }) => notes.create(ctx, { text }));
`;

test("the commands of the guides work in the order in which they are written", async () => {
  const machine = mkdtempSync(join(tmpdir(), "fw-documented-"));
  onTestFinished(() => rmSync(machine, { recursive: true, force: true }));
  const app = writeApplication(Object.fromEntries(filesOf(notes)));
  onTestFinished(() => rmSync(app, { recursive: true, force: true }));
  for (const directory of ["srv/notes", "var/lib", "tmp"]) mkdirSync(join(machine, directory), { recursive: true });
  symlinkSync(join(app, ".fw/build"), join(machine, "srv/notes/current"));

  for (const guide of guides) {
    const servers: Served[] = [];
    for (const { commands } of blocks.filter(({ page, reason }) => page === guide && reason === "")) {
      for (const line of commands.split("\n").filter((each) => each.trim() !== "")) {
        const [name, ...args] = line.replace(/\s+#.*$/, "").split(/\s+/);
        expect(name).toBe("fw");
        // Maps the guide's paths into `machine`. Commands without a data directory use the application's.
        const own = args.map((each) => each.replace(/^\/(?:srv|var|tmp)\//, (path) => join(machine, path) + "/"));
        const cwd = own.includes("--data") ? machine : app;
        if (own[0] === "serve") {
          servers.push(await startServe(own.slice(1).map(withoutSlash), { cwd }));
          continue;
        }
        expect({ line, ...(await command(cwd, own.map(withoutSlash))) }).toMatchObject({
          line,
          code: 0,
          // fw prints its steps to standard error; only errors and warnings start with its name.
          err: expect.not.stringContaining("fw:"),
        });
      }
    }
    for (const server of servers) await server[Symbol.asyncDispose]();
  }
  expect(readdirSync(join(machine, "tmp")).toSorted()).toEqual(["backup", "copy", "notes", "notes-2"]);
});

function withoutSlash(path: string): string {
  return path.replaceAll(/\/{2,}/g, "/");
}

function command(cwd: string, args: readonly string[]): Promise<{ readonly code: unknown; readonly err: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [bin, ...args], { cwd }, (error, out, err) => {
      resolve({ code: error === null ? 0 : (error.code ?? 1), err: error === null ? err : `${out}${err}` });
    });
    child.stdin?.end("a good password\n");
  });
}
