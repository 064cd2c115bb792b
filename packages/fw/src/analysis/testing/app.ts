import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Parses the files in a text. A line `-- path --` starts each file. */
export function filesOf(text: string): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const [, ...parts] = text.split(/^-- (.+) --$\n?/m);
  for (let i = 0; i < parts.length; i += 2) files.set(parts[i] ?? "", parts[i + 1] ?? "");
  return files;
}

export interface WrittenApp extends AsyncDisposable {
  /** The absolute path, without symbolic links. */
  readonly root: string;
  /** Writes or replaces one file. */
  write(path: string, text: string | Uint8Array): Promise<void>;
  remove(path: string): Promise<void>;
}

/** Writes an application, in the format of `filesOf`, into a new directory; disposing it removes the directory. */
export async function writeApp(text: string): Promise<WrittenApp> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "fw-app-")));
  const write = async (path: string, content: string | Uint8Array): Promise<void> => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  };
  for (const [path, content] of filesOf(text)) await write(path, content);
  return {
    root,
    write,
    remove: (path) => rm(join(root, path), { recursive: true, force: true }),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}
