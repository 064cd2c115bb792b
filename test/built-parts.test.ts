import { rmSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { build } from "./support/build.ts";
import { writeApplication } from "./support/dev-app.ts";
import { startServe } from "./support/served.ts";

vi.setConfig({ testTimeout: 600_000 });

test("a built service has what the framework and other services need of it: signed URLs of a bucket that only others use, and a transaction of no data", async () => {
  const root = writeApplication({
    "store/store.ts": `import { API, Bucket } from "fw";
export const files = Bucket("files");
export const plain = API("GET /plain", (): string => "plain");
`,
    "desk/desk.ts": `import { API } from "fw";
import { files } from "../store/store.ts";
export const upload = API("POST /upload", (ctx) => files.signedPut(ctx, "a.txt", "10m"));
export const download = API("POST /download", (ctx) => files.signedGet(ctx, "a.txt", "10m"));
`,
    "calm/calm.ts": `import { API, transaction } from "fw";
export const calm = API("GET /calm", (ctx): Promise<number> => transaction(ctx, async () => 1));
`,
  });
  await build(root);
  await using server = await startServe(["--data", `${root}/data`], { cwd: root });
  const send = async (method: string, path: string, body?: string): Promise<string> => {
    const response = await fetch(new URL(path, server.url), { method, ...(body !== undefined && { body }) });
    return `${response.status} ${await response.text()}`;
  };
  const urlOf = (answer: string): string => (JSON.parse(answer.slice(4)) as { readonly url: string }).url;
  expect(await send("PUT", urlOf(await send("POST", "/upload")), "hello")).toBe("200 ");
  expect(await send("GET", urlOf(await send("POST", "/download")))).toBe("200 hello");
  expect(await send("GET", "/calm")).toBe("200 1");
  rmSync(root, { recursive: true });
});
