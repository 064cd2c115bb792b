import { SourceMap } from "node:module";
import { pathToFileURL } from "node:url";
import { ownDirectory } from "../../lib/own-modules.ts";
import type { Transformed } from "./transform.ts";

/** Maps stack traces to the source. Replaces `Error.prepareStackTrace` of this process. */
export function mapStackTraces(transformed: (path: string) => Transformed | undefined): void {
  const maps = new WeakMap<Transformed, SourceMap>();

  function location(path: string, line: number, column: number): { line: number; column: number } | undefined {
    const source = transformed(path);
    if (source === undefined) return undefined;
    let map = maps.get(source);
    if (map === undefined) maps.set(source, (map = new SourceMap(source.map())));
    // The runner inserts one line before a module's code.
    const entry = map.findEntry(line - 2, column - 1);
    return "originalLine" in entry ? { line: entry.originalLine + 1, column: entry.originalColumn + 1 } : undefined;
  }

  function frame(site: NodeJS.CallSite): string {
    const text = (site as { toString(): string }).toString();
    const path = site.getFileName();
    const line = site.getLineNumber();
    const column = site.getColumnNumber();
    if (path == null || line === null || column === null) return text;
    const origin = location(path, line, column);
    if (origin === undefined) return text;
    return text.replace(`${path}:${line}:${column}`, () => `${path}:${origin.line}:${origin.column}`);
  }

  Error.prepareStackTrace = (error, sites) => {
    const head = errorHead(error);
    return sites.length === 0
      ? head
      : `${head}\n${visibleFrames(sites)
          .map((site) => `    at ${frame(site)}`)
          .join("\n")}`;
  };
}

/**
 * Drops fw's frames, and Node's frames below the application's outermost one. Keeps all frames if none is the
 * application's.
 */
function visibleFrames(sites: readonly NodeJS.CallSite[]): readonly NodeJS.CallSite[] {
  const last = sites.findLastIndex((site) => isFile(site) && !isOwnFrame(site));
  return last === -1 ? sites : sites.slice(0, last + 1).filter((site) => !isOwnFrame(site));
}

const ownDirectoryUrl = pathToFileURL(ownDirectory).href;

function isOwnFrame(site: NodeJS.CallSite): boolean {
  const file = site.getFileName() ?? "";
  return file.startsWith(ownDirectoryUrl) || file.startsWith(ownDirectory);
}

/** True unless the function belongs to Node or the engine. */
function isFile(site: NodeJS.CallSite): boolean {
  return !/^(?:node:|$)/.test(site.getFileName() ?? "");
}

function errorHead(error: unknown): string {
  try {
    return String(error);
  } catch {
    return "Error";
  }
}
