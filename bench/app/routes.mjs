// Writes the 200 routes of the routing scenario, as an application would declare them.
import { writeFileSync } from "node:fs";
import { routes } from "../servers/data.mjs";

const declarations = routes.map(
  (route, i) =>
    `export const route${i} = API("GET ${route}/{id}", (_ctx, req: Item) => ({ route: ${i}, id: req.id }));`,
);
const text = `import { API } from "fw";
import type { Path } from "fw";

export interface Item {
  id: Path;
}

${declarations.join("\n")}
`;
writeFileSync(new URL("routes.ts", import.meta.url), text);
