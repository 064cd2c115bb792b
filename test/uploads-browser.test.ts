import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { launchBrowser } from "./support/browser.ts";
import { startDev, type Dev } from "./support/dev-app.ts";

// A gallery in a real browser: uploads and downloads through signed URLs, and uploads that try to run as a page of the
// gallery.
const gallery = String.raw`
-- gallery/gallery.ts --
import { API, Bucket, Site } from "fw";
import type { Int, Path, Query } from "fw";

export const site = Site("./public");
export const photos = Bucket("photos");
const marks: string[] = [];

export interface Upload { key: string; contentType?: string; maxSize?: Int; lifetime?: string }
export const upload = API("POST /uploads", (ctx, { key, lifetime = "10m", contentType, maxSize }: Upload) =>
  photos.signedPut(ctx, key, lifetime, {
    ...(contentType !== undefined && { contentType }),
    ...(maxSize !== undefined && { maxSize }),
  }),
);
export const download = API("GET /downloads", (ctx, { key }: { key: Query }) => photos.signedGet(ctx, key, "10m"));
export const info = API("GET /photos", async (ctx, { prefix }: { prefix: Query }) => {
  const sizes: Record<string, number> = {};
  for await (const { key, size } of photos.list(ctx, prefix)) sizes[key] = size;
  return sizes;
});
export const mark = API("GET /mark/{who}", (_ctx, { who }: { who: Path }) => ({ marks: marks.push(who) }));
export const marked = API("GET /marks", () => marks);

-- gallery/public/index.html --
<!doctype html><title>Gallery</title>
<script>
async function sign(options) {
  const answer = await fetch("/uploads", {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(options),
  });
  return answer.json();
}
/** Resolves with the outcome; "steps" are the percentages that the browser reported. */
function send({ url, headers }, file, more = {}) {
  return new Promise((resolve) => {
    const steps = [];
    const request = new XMLHttpRequest();
    request.open("PUT", url);
    for (const [name, value] of Object.entries({ ...headers, ...more })) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => steps.push(Math.round((100 * loaded) / total));
    request.onload = () => resolve({
      status: request.status, text: request.responseText, etag: request.getResponseHeader("ETag"), steps,
    });
    request.onerror = () => resolve({ status: 0, steps });
    request.send(file);
  });
}
</script>
`;

/** The size of the large upload in bytes: 16 MB, or as many as FW_UPLOAD_MB says. */
const bytes = Number(process.env["FW_UPLOAD_MB"] ?? 16) * 1024 * 1024;

let dev: Dev;
let browser: Browser;
let page: Page;
const at = (path: string, host = "localhost"): string => `http://${host}:${dev.port}${path}`;

beforeAll(async () => {
  [dev, browser] = await Promise.all([startDev(Object.fromEntries(filesOf(gallery))), launchBrowser()]);
  if (!dev.output().includes("ready in")) throw new Error(dev.output());
  page = await browser.newPage();
});
afterAll(async () => {
  await browser?.close();
  await dev?.[Symbol.asyncDispose]();
});

interface SentForm {
  readonly status: number;
  readonly text: string;
  readonly etag: string | null;
  readonly steps: readonly number[];
}

/** Runs code in a page of the gallery, where `sign` and `send` are available. */
async function inPage<T>(code: string): Promise<T> {
  await page.goto(at("/"));
  return (await page.evaluate(`(async () => { ${code} })()`)) as T;
}

async function sizes(prefix: string): Promise<unknown> {
  return JSON.parse((await dev.get(`/photos?prefix=${encodeURIComponent(prefix)}`)).body);
}

test("a browser uploads by signed URL, sees how far it is, and gets the ETag", async () => {
  const sentForm = await inPage<SentForm>(`
    const signed = await sign({ key: "up/a.bin", maxSize: ${bytes} });
    return send(signed, new Blob([new Uint8Array(${bytes})]));`);
  expect([sentForm.status, sentForm.text, sentForm.etag]).toEqual([200, "", expect.stringMatching(/^"[\w-]+"$/)]);
  expect(sentForm.steps.at(-1)).toBe(100);
  expect(await sizes("up/")).toEqual({ "up/a.bin": bytes });
});

test("a wrong type, too many bytes, a late and an edited upload get their statuses, and the script reads why", async () => {
  const answers = await inPage<SentForm[]>(`
    const file = new File([new Uint8Array(300_000)], "x.html", { type: "text/html" });
    const image = await sign({ key: "no/1", contentType: "image/*" });
    const small = await sign({ key: "no/2", maxSize: 299_999 });
    const late = await sign({ key: "no/3", lifetime: "1s" });
    const answers = [await send(image, file), await send(small, file)];
    const edited = { ...small, url: small.url.slice(0, -1) + (small.url.endsWith("A") ? "B" : "A") };
    answers.push(await send(edited, file));
    let last;
    do last = await send(late, new Blob(["x"])); while (last.status === 200);
    return [...answers, last];`);
  expect(answers.map(({ status, text }) => [status, (JSON.parse(text) as { error: string }).error])).toEqual([
    [415, "this upload must be image/*"],
    [413, "this upload is larger than 299999 bytes"],
    [403, "this URL is invalid or has expired"],
    [403, "this URL is invalid or has expired"],
  ]);
  expect(Object.keys((await sizes("no/")) as object)).not.toContain("no/2");
});

test("a page of another origin uploads and downloads by signed URL, and reads the answers", async () => {
  const put = await inPage<{ url: string }>(`return sign({ key: "cross", maxSize: 100, contentType: "text/plain" });`);
  const get = JSON.parse((await dev.get("/downloads?key=cross")).body) as { url: string };
  await page.goto(at("/", "127.0.0.1"));
  const urls = JSON.stringify([put, get].map((each) => ({ ...each, url: at(each.url) })));
  const uploadOutcome = await page.evaluate(`(async () => {
    const [put, get] = ${urls};
    const answer = await fetch(put.url, { method: "PUT", headers: put.headers, body: "from elsewhere" });
    const refused = await fetch(put.url, { method: "PUT", headers: put.headers, body: "x".repeat(101) });
    const part = await fetch(get.url, { headers: { Range: "bytes=5-8" } });
    return [location.host, answer.status, answer.headers.get("ETag") !== null, refused.status, await part.text(),
      part.headers.get("Content-Range")];
  })()`);
  expect(uploadOutcome).toEqual([`127.0.0.1:${dev.port}`, 200, true, 413, "else", "bytes 5-8/14"]);
});

const script = (who: string): string => `fetch(${JSON.stringify(`/mark/${who}`)})`;
const hostile: Readonly<Record<string, string>> = {
  "text/html": `<script>${script("html")}</script><img src=x onerror='${script("attribute")}'>`,
  "text/html; charset=utf-8": `<script>${script("charset")}</script>`,
  "image/svg+xml": `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>${script("svg")}</script></svg>`,
  "application/xhtml+xml": `<html xmlns="http://www.w3.org/1999/xhtml"><script>${script("xhtml")}</script></html>`,
  "text/xml": `<x xmlns:h="http://www.w3.org/1999/xhtml"><h:script>${script("xml")}</h:script></x>`,
  "application/rdf+xml": `<x xmlns:h="http://www.w3.org/1999/xhtml"><h:script>${script("rdf")}</h:script></x>`,
  "text/plain": `<script>${script("plain")}</script>`,
  "image/png": `<script>${script("png")}</script>`,
  "video/mp4": `<html><script>${script("video")}</script>`,
  "application/octet-stream": `<html><script>${script("bytes")}</script>`,
  "multipart/x-mixed-replace": `<script>${script("mixed")}</script>`,
};

/** Uploads every hostile object and returns their download URLs. */
async function plant(): Promise<string[]> {
  return inPage<string[]>(`
    const urls = [];
    for (const [type, text] of Object.entries(${JSON.stringify(hostile)})) {
      const key = "hostile/" + type;
      await send(await sign({ key }), new Blob([text]), { "Content-Type": type });
      urls.push((await (await fetch("/downloads?key=" + encodeURIComponent(key))).json()).url);
    }
    return urls;`);
}

/** Opens each URL directly and in a page of the gallery. A frame that becomes a download fires no event. */
async function openAll(urls: readonly string[]): Promise<void> {
  for (const url of urls) await page.goto(at(url)).catch(() => {});
  await page.goto(at("/"));
  await page.evaluate(`(async () => {
    const loads = ${JSON.stringify(urls)}.flatMap((url) => ["iframe", "embed", "object"].map((name) => {
      const element = document.createElement(name);
      element[name === "object" ? "data" : "src"] = url;
      const over = new Promise((done) => { element.onload = element.onerror = done; setTimeout(done, 500); });
      document.body.append(element);
      return over;
    }));
    await Promise.all(loads);
  })()`);
}

async function marks(): Promise<unknown> {
  return JSON.parse((await dev.get("/marks")).body);
}

test("what visitors uploaded never runs as a page of the application's origin", async () => {
  const urls = await plant();
  await openAll(urls);
  expect(await marks()).toEqual([]);
});

test("nor does it where one of the two headers that prevent it is missing", async () => {
  const urls = await plant();
  for (const missing of ["content-disposition", "content-security-policy"]) {
    await page.route("**/_fw/api/signed/**", async (route) => {
      const response = await route.fetch();
      const { [missing]: _, ...headers } = response.headers();
      await route.fulfill({ response, headers });
    });
    await openAll(urls);
    await page.unrouteAll({ behavior: "wait" });
    expect([missing, await marks()]).toEqual([missing, []]);
  }
});

test("and without both it does, so that the tests would see it", async () => {
  const urls = await plant();
  await page.route("**/_fw/api/signed/**", async (route) => {
    const response = await route.fetch();
    await route.fulfill({
      status: 200,
      contentType: String(response.headers()["content-type"]),
      body: await response.body(),
    });
  });
  const marked = page.waitForResponse((response) => response.url().includes("/mark/"));
  await page.goto(at(String(urls[0])));
  await marked;
  await page.unrouteAll({ behavior: "wait" });
  expect(await marks()).toContain("html");
});

test("an uploaded script does not run in a page that names it", async () => {
  const outcome = await inPage<string[]>(`
    await send(await sign({ key: "evil.js" }), new Blob(['document.title = "taken"; onmessage = () => {}']), { "Content-Type": "text/javascript" });
    const { url } = await (await fetch("/downloads?key=evil.js")).json();
    const loading = (element) => new Promise((done) => {
      element.onload = () => done("loaded");
      element.onerror = () => done("refused");
      document.head.append(element);
    });
    const element = Object.assign(document.createElement("script"), { src: url });
    const worker = new Promise((done) => { new Worker(url).onerror = () => done("refused"); });
    const service = navigator.serviceWorker.register(url).then(() => "loaded", () => "refused");
    return [await loading(element), await worker, await service, document.title];`);
  expect(outcome).toEqual(["refused", "refused", "refused", "Gallery"]);
});

test("a picture is shown, and so is a drawing inside of a page", async () => {
  const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const widths = await inPage<number[]>(`
    const bytes = Uint8Array.from(atob("${png}"), (c) => c.charCodeAt(0));
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><style>rect{fill:red}</style><rect width="9" height="9"/></svg>';
    const widths = [];
    for (const [type, content] of [["image/png", bytes], ["image/svg+xml", svg]]) {
      await send(await sign({ key: "shown" }), new Blob([content]), { "Content-Type": type });
      const image = new Image();
      const { url } = await (await fetch("/downloads?key=shown")).json();
      await new Promise((done) => Object.assign(image, { onload: done, onerror: done, src: url }));
      widths.push(image.naturalWidth);
    }
    return widths;`);
  expect(widths).toEqual([1, 9]);
});
