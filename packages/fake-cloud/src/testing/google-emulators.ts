import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";

const sdk = "/usr/lib/google-cloud-sdk/platform";
const firestore = `${sdk}/cloud-firestore-emulator/cloud-firestore-emulator.jar`;
const pubsub = pubsubJar(`${sdk}/pubsub-emulator/lib`);

/** Google's emulators from the Google Cloud CLI. */
const emulators = {
  datastore: {
    jar: process.env["FW_FIRESTORE_EMULATOR"] ?? firestore,
    command: (jar: string) => [
      "-cp",
      jar,
      "com.google.cloud.datastore.emulator.firestore.CloudFirestore",
      "start",
      "--database-mode=datastore-mode",
    ],
  },
  pubsub: { jar: process.env["FW_PUBSUB_EMULATOR"] ?? pubsub, command: (jar: string) => ["-jar", jar] },
} as const;

/** Returns the emulator's jar, whose name contains its version. */
function pubsubJar(folder: string): string {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return `${folder}/${names.find((name) => /^cloud-pubsub-emulator-.*-all\.jar$/.test(name)) ?? "cloud-pubsub-emulator.jar"}`;
}

export function hasEmulator(name: keyof typeof emulators): boolean {
  return existsSync(emulators[name].jar);
}

/**
 * True if tests compare the fake with an emulator. It must be installed, and enabled with `FW_GOOGLE`, because it takes
 * seconds to start.
 */
export function withEmulator(name: keyof typeof emulators): boolean {
  return process.env["FW_GOOGLE"] !== undefined && hasEmulator(name);
}

/** Starts an emulator; on another port if a different process has taken its port. */
export async function startEmulator(name: keyof typeof emulators): Promise<{ url: string; stop: () => void }> {
  const { jar, command } = emulators[name];
  for (let attempt = 0; attempt < 5; attempt++) {
    const port = await freePort();
    const child = spawn("java", ["-Duser.language=en", ...command(jar), "--host=127.0.0.1", `--port=${port}`], {
      stdio: "ignore",
    });
    const url = `http://127.0.0.1:${port}`;
    while (child.exitCode === null) {
      // Another process on the port would respond differently.
      const answer = await fetch(url).then((response) => response.text(), String);
      if (answer.trim() === "Ok") return { url, stop: () => void child.kill("SIGKILL") };
      await setTimeout(100);
    }
  }
  throw new Error(`Google's emulator of ${name} ends as soon as it is started`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
