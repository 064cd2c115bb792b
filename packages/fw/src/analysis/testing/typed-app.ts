import { mkdir, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeApp, type WrittenApp } from "./app.ts";

const framework = fileURLToPath(new URL("../../..", import.meta.url));
const modules = join(framework, "..", "..", "node_modules");

/** Writes an application that imports `fw` and installed packages, like a user's. */
export async function writeTypedApp(text: string, packages: readonly string[] = []): Promise<WrittenApp> {
  const app = await writeApp(`-- package.json --\n{ "name": "app", "type": "module" }\n${text}`);
  await link(framework, join(app.root, "node_modules", "fw"));
  for (const name of packages) await link(join(modules, name), join(app.root, "node_modules", name));
  return app;
}

async function link(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await symlink(from, to, "junction");
}
