const recorded = `
import { appendFileSync } from "node:fs";
export function isGranted(grants, asked) {
  appendFileSync(process.env.FW_TEST_ASKS, JSON.stringify({ grants, asked, covering: grants.filter((each) => granted([each], asked)) }) + "\\n");
  return granted(grants, asked);
}
`;

/** The module that decides what is granted also writes it down. */
export async function load(url, context, nextLoad) {
  const loaded = await nextLoad(url, context);
  if (!url.endsWith("/dist/platform/grants.js")) return loaded;
  return {
    ...loaded,
    source: String(loaded.source).replace("export function isGranted(", "function granted(") + recorded,
  };
}
