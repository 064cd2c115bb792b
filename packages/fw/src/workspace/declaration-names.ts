import type { App } from "../model/app.ts";

/** Names the declarations of an application: `GET /tasks`, `entity tasks`. */
export function namesOfDeclarations({ packages }: App): readonly string[] {
  return packages.flatMap(({ declarations }) =>
    declarations.flatMap((declaration) => {
      if ("route" in declaration) return [declaration.route.pattern];
      return "name" in declaration ? [`${declaration.kind} ${declaration.name}`] : [];
    }),
  );
}
