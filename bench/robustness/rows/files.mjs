import { fileSecret } from "../workspace.mjs";
import { ask, inParallel } from "../wire.mjs";

const targets = ["etc/passwd", "outside.txt", "harbour.ts", "package.json", "site-other/a.txt", "app/package.json"];
const ups = [
  "..",
  "%2e%2e",
  "%2E%2E",
  ".%2e",
  "%2e.",
  "%252e%252e",
  "..%00",
  "%c0%ae%c0%ae",
  "%e0%80%ae%e0%80%ae",
  "%uff0e%uff0e",
  "..;",
  "...",
  "....",
  "..%20",
  "%20..",
  "..%09",
  "..%5c..",
  "%ef%bc%8e%ef%bc%8e",
  "..%c0%af",
  "..%0a",
  "..%23",
  "..%3f",
];
const slashes = ["/", "%2f", "%2F", "%5c", "//", "%252f", "%c0%af", "/./", "%e2%88%95", "\\"];
const starts = ["/", "/docs/", "/templates/", "/link-up/", "/site/", "//"];
const hidden = [
  "/.env",
  "/.git/config",
  "/docs/.htaccess",
  "/templates/layout.html",
  "/templates/deep/page.html",
  "/link.txt",
  "/link-env.txt",
  "/link-root/etc/passwd",
  "/link-up/package.json",
  "/link-up/harbour.ts",
  "/link-templates/layout.html",
  "/link-layout.html",
  "/Templates/layout.html",
  "/TEMPLATES/layout.html",
  "/templates",
  "/templates/",
  "/templates/.",
  "/node_modules/fw/package.json",
];
const disguises = [
  (path) => path,
  (path) => path.replace("/.", "/%2e"),
  (path) => path.replaceAll("e", "%65"),
  (path) => path.replace("templates", "template%73"),
  (path) => `/.${path}`,
  (path) => `/docs/..${path}`,
  (path) => `/docs%2f..${path}`,
  (path) => `/${path}`,
  (path) => path.replaceAll("/", "//"),
  (path) => path.replaceAll("/", "%2f"),
  (path) => path.replaceAll("/", "/./"),
  (path) => `${path}/`,
  (path) => `${path}%00`,
  (path) => `${path}%00.css`,
  (path) => `${path}%20`,
  (path) => `${path}.`,
  (path) => `${path}::$DATA`,
  (path) => `${path}~1`,
  (path) => path.replaceAll("/", "\\"),
  (path) => path.replaceAll("/", "%5c"),
  (path) => `${path};a=b`,
  (path) => `${path}?.css`,
  (path) => path.toUpperCase(),
  (path) => path.replaceAll("t", "%74").replaceAll("m", "%6D"),
];

function vectors() {
  const climbs = ups.flatMap((up) =>
    slashes.flatMap((slash) =>
      starts
        .slice(0, 3)
        .flatMap((start) => [start + up + slash + targets[1], start + (up + slash).repeat(8) + targets[0]]),
    ),
  );
  const named = starts.flatMap((start) => targets.map((target) => start + target));
  const disguised = hidden.flatMap((path) => disguises.map((disguise) => disguise(path)));
  return [...new Set([...climbs, ...named, ...disguised])];
}

const leaked = new RegExp(`${fileSecret}|root:x:0|hunter2|"name": ?"(?:harbour|fw)"|<main>\\{\\{|\\{\\{content`);

export const files = [
  {
    name: "static files: traversal, dotfiles, templates, links",
    bound: "nothing hidden is sent",
    run: async ({ server, dev }) => {
      const bad = [];
      const all = vectors();
      for (const { port } of [server, dev]) {
        await inParallel(all, 8, async (path) => {
          const { status, body } = await ask(port, path);
          if (leaked.test(body) || status >= 500 || status === 0) bad.push(`${path}: ${status} ${body.slice(0, 60)}`);
        });
        if ((await ask(port, "/robots.txt")).status !== 200) bad.push("a file that is public is not sent");
      }
      return { measured: bad[0] ?? `0 of ${2 * all.length}`, ok: bad.length === 0 };
    },
  },
];
