import type { BuildPlatform } from "../../build/platform.ts";
import type { App } from "../../model/app.ts";
import { allOfKind } from "../../model/declarations.ts";
import { Refusal } from "../command.ts";

/** Refuses an application with declarations that a platform does not support. */
export function refuseForPlatform({ packages }: App, platform: BuildPlatform): void {
  const auth = platform === "gcp" ? allOfKind(packages, "auth").find(({ account }) => account) : undefined;
  if (auth === undefined) return;
  const { path, line } = auth.declaration.at;
  throw new Refusal(
    `${path}:${line}: Auth has account: true, but on Google Cloud passwords belong to Identity Platform, which has its own pages for them: remove account and signUp, or host the application yourself`,
  );
}
