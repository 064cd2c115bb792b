import { fileURLToPath } from "node:url";

/** What applications and generated code import of fw, as files of the fw that runs: all of a process must share one instance. */
export const ownModules: Readonly<Record<string, string>> = {
  fw: ours("declare/index"),
  "fw/runtime": ours("runtime/index"),
  "fw/service": ours("service/start"),
  "fw/service/local": ours("service/local"),
};

/** Loads the markdown libraries. */
export const markdownLibraries: string = ours("runtime/page/markdown-libraries");

/** Only services that call others have it. */
export const remoteCalls: string = ours("runtime/remote/remote");

/** No service has it: what it calls of others is in another process. */
export const acrossCalls: string = ours("runtime/calls/across");

/** Only services of applications with accounts have it. */
export const signInEndpoints: string = ours("runtime/auth/endpoints");

/** The directory that holds all of them. */
export const ownDirectory: string = fileURLToPath(new URL("../", import.meta.url));

function ours(module: string): string {
  const extension = import.meta.url.endsWith(".ts") ? ".ts" : ".js";
  return fileURLToPath(new URL(`../${module}${extension}`, import.meta.url));
}
