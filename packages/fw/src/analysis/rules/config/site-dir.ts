import type { ParsedSite } from "../../readers/site.ts";
import type { Span } from "../../../model/diagnostic.ts";
import type { Finding, Rule } from "../../rule.ts";
import { isServed } from "../../../lib/asset-name.ts";
import { ofKind } from "../select.ts";

export const siteDir: Rule = {
  id: "site-dir",
  title: "The directory of a Site exists or is created by its `build`, and contains no source of the application",
  *app({ packages, hasDirectory, hasFile, sources }) {
    for (const site of packages.flatMap((read) => ofKind(read, "site"))) {
      const { text, dir, out } = site;
      if (text.value === undefined) continue;
      if (dir === undefined) yield outsideFinding(text.at, text.value);
      else if (!hasDirectory(dir) && !mayBeBuilt(site)) yield missingFinding(text.at, dir, out);
      else {
        yield* exposed(text.at, dir, sources);
        yield* noFallback(site, dir, hasFile);
      }
    }
  },
};

function outsideFinding(at: Span, path: string): Finding {
  const message = `the site's directory "${path}" is outside the application`;
  return { at, message, hint: "move it inside the application, next to the module that declares it" };
}

/** Reports source files in the directory, which the site would serve to everyone. */
function* exposed(at: Span, dir: string, sources: readonly string[]): Iterable<Finding> {
  const source = sources.find((path) => dir === "" || path.startsWith(`${dir}/`));
  if (source === undefined) return;
  const where = dir === "" ? "is the application's own, where" : `"${dir}" holds`;
  const message = `the site's directory ${where} ${source}${dir === "" ? " lies" : ""}: the application's source would be served`;
  yield { at, message, hint: "move public files to a separate directory, such as ./public" };
}

/**
 * Reports a fallback that the site does not serve or that is missing. A build may still write a missing one, so sites
 * with a build are excluded from that check.
 */
function* noFallback(site: ParsedSite, dir: string, hasFile: (path: string) => boolean): Iterable<Finding> {
  const { value, at } = site.config.settings.fallback ?? {};
  if (value === undefined || at === undefined) return;
  const path = dir === "" ? value : `${dir}/${value}`;
  if (isServed(value.split("/")) && (hasFile(path) || mayBeBuilt(site))) return;
  const message = isServed(value.split("/"))
    ? `the site's fallback "${path}" does not exist`
    : `the site's fallback "${value}" is not a file that a site serves`;
  yield { at, message, hint: "name a file inside the site's directory, such as index.html" };
}

function missingFinding(at: Span, dir: string, out: string | undefined): Finding {
  const built = out === undefined ? "" : `, and the build creates "${out}"`;
  return { at, message: `the site's directory "${dir}" does not exist${built}`, hint };
}

const hint = "create it, or set it as out in build: { command, out }; both are relative to the package's directory";

/** True if the build may create the directory. Unreadable settings are already reported. */
function mayBeBuilt({ dir, out, config: { complete, settings } }: ParsedSite): boolean {
  if (!complete || (settings.build && settings.build.value?.out?.value === undefined)) return true;
  return out !== undefined && dir !== undefined && (dir === out || dir.startsWith(out === "" ? "" : `${out}/`));
}
