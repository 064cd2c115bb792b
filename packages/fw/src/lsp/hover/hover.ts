import { declarationKey } from "../../model/declarations.ts";
import type { RequestContext } from "../request-context.ts";
import { rangeOf } from "../lines.ts";
import { symbolAtCursor } from "../cursor.ts";
import { declarationText } from "./declaration-text.ts";

/** Describes the declaration behind the name at the position; undefined if there is none. */
export async function hover(context: RequestContext, params: unknown): Promise<object | undefined> {
  const { workspace, contents, documents } = context;
  const symbol = await symbolAtCursor(context, params);
  if (symbol?.kind !== "declaration") return undefined;
  const key = declarationKey(symbol);
  const pkg = contents.app.packages.find(({ declarations }) =>
    declarations.some(({ declaration }) => declarationKey(declaration) === key),
  );
  const declaration = pkg?.declarations.find(({ declaration }) => declarationKey(declaration) === key);
  if (pkg === undefined || declaration === undefined) return undefined;
  const value = declarationText({ app: contents.app, pkg, uses: await workspace.analyzer.uses() }, declaration);
  return { contents: { kind: "markdown", value }, range: rangeOf(symbol.at, documents.texts.get(context.path)) };
}
