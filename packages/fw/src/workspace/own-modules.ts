/** What applications and generated code import of fw, as modules of the fw that runs: both must share one instance. */
export const ownModules: Readonly<Record<string, string>> = {
  fw: ours("declare/index"),
  "fw/runtime": ours("runtime/index"),
};

function ours(module: string): string {
  const extension = import.meta.url.endsWith(".ts") ? ".ts" : ".js";
  return new URL(`../${module}${extension}`, import.meta.url).href;
}
