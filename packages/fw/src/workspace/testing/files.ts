import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A directory that a test writes and removes. */
export interface Files {
  readonly root: string;
  path(name: string): string;
  write(files: Readonly<Record<string, string>>): void;
  remove(name: string): void;
  [Symbol.dispose](): void;
}

export function files(initial: Readonly<Record<string, string>> = {}): Files {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "fw-dev-")));
  const write = (texts: Readonly<Record<string, string>>): void => {
    for (const [name, text] of Object.entries(texts)) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), text);
    }
  };
  write(initial);
  return {
    root,
    path: (name) => join(root, name),
    write,
    remove: (name) => rmSync(join(root, name), { recursive: true, force: true }),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}
