import { declarationKey } from "../../model/declarations.ts";
import type { Asked } from "../asked.ts";
import { rangeOf } from "../lines.ts";
import { hereOf } from "../place.ts";
import { declarationText } from "./declaration-text.ts";

/** What is known of the declaration that a name stands for. */
export async function hover(asked: Asked, params: unknown): Promise<object | undefined> {
  const { workspace, contents, documents } = asked;
  const named = await hereOf(asked, params);
  if (named?.kind !== "declaration") return undefined;
  const key = declarationKey(named);
  const pkg = contents.app.packages.find(({ declarations }) =>
    declarations.some(({ declaration }) => declarationKey(declaration) === key),
  );
  const declared = pkg?.declarations.find(({ declaration }) => declarationKey(declaration) === key);
  if (pkg === undefined || declared === undefined) return undefined;
  const value = declarationText({ app: contents.app, pkg, uses: await workspace.uses() }, declared);
  return { contents: { kind: "markdown", value }, range: rangeOf(named.at, documents.texts.get(asked.path)) };
}
