import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { imageOf, type Image } from "./image.ts";
import { writeLayout } from "./layout.ts";
import { pushImage } from "./push.ts";
import { openRegistries } from "./registry.ts";
import { wholeBase } from "./testing/base.ts";
import { freePort } from "../../lib/testing/free-port.ts";

const run = promisify(execFile);
const user = ["--userspec=65532:65532"];
const programs = ["docker-registry", "skopeo", "umoci", "chroot"];
const missing = programs.filter((program) => !isInstalled(program));
const isRequested = process.env["FW_REGISTRY"] !== undefined;
if (isRequested && missing.length > 0)
  console.warn(`images are NOT held to other software: ${missing.join(", ")} of Debian's packages is not installed`);

// Compressing a complete Node takes seconds.
describe.skipIf(!isRequested || missing.length > 0)("beside software of others", { timeout: 120_000 }, () => {
  let place: string;
  let registry: ChildProcess;
  let host: string;
  let image: Image;

  beforeAll(async () => {
    place = mkdtempSync(join(tmpdir(), "fw-real-"));
    const port = await freePort();
    host = `127.0.0.1:${port}`;
    const config = {
      version: "0.1",
      storage: { filesystem: { rootdirectory: join(place, "registry") } },
      http: { addr: host },
    };
    writeFileSync(join(place, "config.yml"), JSON.stringify(config));
    registry = spawn("docker-registry", ["serve", join(place, "config.yml")], { stdio: "ignore" });
    await vi.waitFor(() => fetch(`http://${host}/v2/`), { timeout: 30_000 });
    writeFileSync(join(place, "main.js"), "console.log(JSON.stringify([1, process.env.GREETING, process.argv[1]]));\n");
    image = await imageOf(place, await wholeBase(), {
      command: ["/app/main.js"],
      env: { PATH: "/usr/sbin:/usr/bin", GREETING: "hi" },
      user: "65532",
    });
  }, 120_000);
  afterAll(async () => {
    registry.kill();
    await once(registry, "exit");
    rmSync(place, { recursive: true });
  });

  test("what is pushed can be pulled, unpacked and run, and is pushed once", async () => {
    const registries = openRegistries({});
    const started = performance.now();
    const { reference, uploaded } = await pushImage(image, `${host}/fw/shop`, "web", registries);
    const pushed = performance.now();
    expect(uploaded).toBeGreaterThan(1_000_000);
    expect(await pushImage(image, `${host}/fw/shop`, "web", registries)).toEqual({ reference, uploaded: 0 });
    const again = performance.now();
    console.info(
      `pushed ${uploaded} bytes in ${Math.round(pushed - started)} ms, nothing in ${Math.round(again - pushed)} ms`,
    );
    const inspected = await run("skopeo", ["inspect", "--tls-verify=false", `docker://${host}/fw/shop:web`]);
    expect(JSON.parse(inspected.stdout)).toMatchObject({ Digest: image.digest, Architecture: "amd64", Os: "linux" });
    const layout = join(place, "pulled");
    await run("skopeo", ["copy", "--src-tls-verify=false", `docker://${reference}`, `oci:${layout}:web`]);
    expect(await startedFrom(layout)).toBe('[1,"hi","/app/main.js"]\n');
  });

  test("a layout is read by others as it was written", async () => {
    const layout = join(place, "layout");
    await writeLayout(layout, new Map([["web", image]]));
    const inspected = await run("skopeo", ["inspect", `oci:${layout}:web`]);
    expect(JSON.parse(inspected.stdout)).toMatchObject({ Digest: image.digest });
    expect(await startedFrom(layout)).toBe('[1,"hi","/app/main.js"]\n');
  });

  /** Unpacks a layout's image, starts it as configured and returns its output. */
  async function startedFrom(layout: string): Promise<string> {
    const bundle = `${layout}-bundle`;
    await run("umoci", ["unpack", "--image", `${layout}:web`, bundle]);
    const { stdout } = await run("chroot", [...user, join(bundle, "rootfs"), "/nodejs/bin/node", "/app/main.js"], {
      env: { PATH: "/usr/sbin:/usr/bin", GREETING: "hi" },
    });
    return stdout;
  }
});

function isInstalled(program: string): boolean {
  return ["/usr/bin", "/usr/sbin", "/usr/local/bin"].some((directory) => {
    try {
      accessSync(join(directory, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
