import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { Site } from "../../declare/site.ts";
import { assetTable } from "../../generate/assets.ts";
import type { AssetTable } from "../../lib/asset.ts";
import type { BundledSite } from "../bundle.ts";
import { type SiteFiles, openSite } from "../site/files.ts";
import { type SendAssetOptions, sendAsset, sendRedirect } from "../site/serve.ts";
import { type TestServer, serve } from "./server.ts";

export const css: string = "body { color: teal }\n".repeat(200);

/** A secret that no response may contain. */
export const secret = "SECRET";

export interface SiteFolder {
  /** The directory of the site. Its parent contains files that the site must not serve. */
  readonly dir: string;
  write(path: string, content: string | Uint8Array): void;
  remove(path: string): void;
  [Symbol.dispose](): void;
}

/** Creates a site with every kind of file, both allowed and forbidden. */
export function siteFolder(): SiteFolder {
  const parent = mkdtempSync(join(tmpdir(), "fw-site-"));
  const dir = join(parent, "web");
  const write = (path: string, content: string | Uint8Array): void => {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), content);
  };
  for (const [path, content] of Object.entries(servedFiles)) write(path, content);
  for (const path of hiddenFiles) write(path, `${secret} ${path}`);
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(dir, name));
  mkdirSync(join(dir, "empty"));
  return {
    dir,
    write,
    remove: (path) => rmSync(join(dir, path), { recursive: true }),
    [Symbol.dispose]: () => rmSync(parent, { recursive: true }),
  };
}

const servedFiles: Readonly<Record<string, string | Uint8Array>> = {
  "index.html": "<h1>home</h1>",
  "app.css": css,
  "app.css.br": brotliCompressSync(css),
  "app.css.gz": gzipSync(css),
  "stale.js": "new()",
  "stale.js.gz": gzipSync("old()"),
  "app.3f2a91bc.js": "hashed()",
  "report-20261121.pdf": "dated",
  "docs/index.html": "<h1>docs</h1>",
  "docs/a b.txt": "blank",
  "docs/naïve.txt": "umlaut",
  "docs/templates/example.html": "not the site's templates",
  "big.bin": Buffer.alloc(300_000, "0123456789"),
  ".well-known/security.txt": "Contact: mailto:a@example.com",
};

const hiddenFiles: readonly string[] = [
  ".env",
  ".git/config",
  ".well-known/.hidden",
  "docs/.htaccess",
  "templates/layout.html",
  "templates/deep/page.html",
  "Templates/other.html",
  "_fw/z/index.html",
  "../secret.txt",
  "../outside/index.html",
  "../web-other/index.html",
];

const links: Readonly<Record<string, string>> = {
  "link-in.css": "app.css",
  "link-docs": "docs",
  "link-loop": "link-loop",
  "link-up": ".",
  "link-out.txt": "../secret.txt",
  "link-outside": "../outside",
  "link-other": "../web-other",
  "link-root": "/",
  "link-env": ".env",
  "link-git": ".git",
  "link-templates": "templates",
  "link-layout.html": "templates/layout.html",
};

export function bundledSite(dir: string, more: Partial<BundledSite> = {}): BundledSite {
  return { declaration: Site("./web"), dir, redirects: {}, trustedHTML: false, templates: {}, ...more };
}

/** The two ways to serve a site: directly from its directory (`fw dev`), or from a table created at build time. */
export const modes: readonly (readonly [string, (dir: string) => Promise<{ readonly assets?: AssetTable }>])[] = [
  ["from its directory", async () => ({})],
  ["from a table", async (dir) => ({ assets: await assetTable(dir) })],
];

export function serveSite(files: SiteFiles, options: SendAssetOptions = {}): Promise<TestServer> {
  return serve(async (request) => {
    const { res, target } = request.exchange;
    const [path = "", query = ""] = target.split(/\?(.*)/s);
    const found = files.lookup(path, query);
    if (found === undefined) return res.writeHead(404).end();
    if (found.kind === "redirect") return sendRedirect(request, found);
    if (!(await sendAsset(request, found, options))) res.writeHead(404).end();
  });
}

export { openSite };
