/** The size of the application to generate. */
export interface GeneratedAppOptions {
  readonly routes: number;
}

/** One endpoint of a generated application, for tests that compare it with the analysis. */
interface GeneratedRoute {
  readonly path: string;
  readonly variable: string;
  /** True if the handler has no return annotation. */
  readonly inferred: boolean;
}

export interface GeneratedApp {
  /** Contents by path, including package.json and tsconfig.json. */
  readonly files: ReadonlyMap<string, string>;
  readonly routes: readonly GeneratedRoute[];
}

const routesPerFile = 10;
const filesPerPackage = 2;

/**
 * Deterministically generates an application with many routes: packages of files that import each other, marked fields,
 * discriminated unions, utility types, a fifth of the responses inferred, and routes composed of constants in other
 * files. It is the hard case: each route has its own types, so little is shared.
 */
export function generateApp({ routes }: GeneratedAppOptions): GeneratedApp {
  const files = new Map([
    ["package.json", `{ "name": "generated", "type": "module" }\n`],
    ["tsconfig.json", tsconfig],
  ]);
  const made: GeneratedRoute[] = [];
  for (let first = 0; first < routes; first += routesPerFile) {
    const place = placeOf(first);
    const numbers = Array.from({ length: Math.min(routesPerFile, routes - first) }, (_, index) => first + index);
    if (first % (routesPerFile * filesPerPackage) === 0) files.set(`${place.dir}/model.ts`, modelFile(place, routes));
    files.set(place.path, apiFile(place, numbers));
    made.push(
      ...numbers.map((number) => ({ path: place.path, variable: `route${number}`, inferred: isInferred(number) })),
    );
  }
  return { files, routes: made };
}

const tsconfig = `${JSON.stringify({
  compilerOptions: {
    target: "ES2023",
    lib: ["ES2023", "ESNext.Disposable"],
    module: "NodeNext",
    moduleResolution: "NodeNext",
    types: [],
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    allowImportingTsExtensions: true,
  },
  include: ["**/*.ts"],
})}\n`;

interface Place {
  readonly package: number;
  readonly dir: string;
  readonly file: number;
  readonly path: string;
}

function placeOf(route: number): Place {
  const file = Math.floor(route / routesPerFile);
  const own = Math.floor(file / filesPerPackage);
  const dir = `package${own}`;
  return { package: own, dir, file: file % filesPerPackage, path: `${dir}/api${file % filesPerPackage}.ts` };
}

function isInferred(route: number): boolean {
  return route % 5 === 4;
}

function modelFile(place: Place, routes: number): string {
  const first = place.package * routesPerFile * filesPerPackage;
  const count = Math.min(routesPerFile * filesPerPackage, routes - first);
  const types = Array.from({ length: count }, (_, index) => modelTypes(first + index));
  return `import type { Form, Int, Path, Query } from "fw";

export const base = "/package${place.package}";
export const version = "v${place.package % 3}";
export interface Page<T, Cursor = string> { items: T[]; next: Cursor; total: Int }
export interface Audited { createdAt: Date; updatedAt?: Date }

${types.join("\n")}`;
}

function modelTypes(route: number): string {
  return `export type State${route} = "draft" | "live" | "gone${route}";
export type Event${route} =
  | { type: "made"; at: Date; by: string }
  | { type: "moved"; to: string; steps: Int }
  | { type: "closed"; reason?: string };
export interface Item${route} extends Audited {
  id: string;
  name: string;
  count: Int;
  price: number;
  state: State${route};
  tags: string[];
  events: Event${route}[];
  labels: Record<string, string>;
  parent?: Item${route};
  secret: string;
}
export interface Get${route} { id: Path; limit?: Query<Int>; state?: Query<State${route}>; tag?: Query<string[]>; deep?: Query<boolean, "is_deep">; after?: Query }
export type Put${route} = { id: Path } & Omit<Item${route}, "id" | "secret" | "parent"> & { event: Event${route} };
export interface Send${route} { id: Path; title: Form; pages: Form<Int>; kinds: Form<string[]>; urgent?: Form<boolean>; state: Form<State${route}> }
export type View${route} = Pick<Item${route}, "id" | "name" | "count" | "state"> & { pages: Page<Partial<Item${route}>>; history: Event${route}[][]; rest: Record<string, Item${route}["price"]>; at: Date };
`;
}

function apiFile(place: Place, routes: readonly number[]): string {
  const types = routes.flatMap((route) => [
    `Get${route}`,
    `Put${route}`,
    `Send${route}`,
    `View${route}`,
    `Item${route}`,
  ]);
  const before =
    place.package > 0
      ? `import { route${firstOf(place.package - 1)} as previous } from "../package${place.package - 1}/api0.ts";\n`
      : "";
  return `import { API, Errorf, type Path } from "fw";
import type { ${types.join(", ")} } from "./model.ts";
import { base, version } from "./model.ts";
${before}
${routes.map((route) => endpoint(place, route)).join("\n")}`;
}

function firstOf(own: number): number {
  return own * routesPerFile * filesPerPackage;
}

function endpoint(place: Place, route: number): string {
  const body = bodyOf(place, route);
  switch (route % 5) {
    case 0:
      return `export const route${route} = API("GET /package${place.package}/r${route}/{id}", async (ctx, req: Get${route}): Promise<View${route}> => {\n${body}\n});\n`;
    case 1:
      return `export const route${route} = API(\`PUT \${base}/r${route}/{id}\`, async (ctx, req: Put${route}): Promise<View${route}> => {\n${body}\n});\n`;
    case 2:
      return `export const route${route} = API(\`POST \${base}/\${version}/r${route}/{id}\`, async (ctx, req: Send${route}): Promise<View${route} | null> => {\n${body}\n});\n`;
    case 3:
      return `async function handle${route}(ctx: unknown, req: { id: Path; note: string; scores: number[]; view?: View${route} }): Promise<Item${route}[]> {\n  if (req.note === "") throw Errorf(404, "no note");\n  return [];\n}\nexport const route${route} = API("PATCH /package${place.package}" + "/r${route}/{id}", handle${route});\n`;
    default:
      return `export const route${route} = API("GET /package${place.package}/r${route}/{id}", async (ctx, req: Get${route}) => {\n  const view = {} as View${route};\n  if (req.limit === 0) throw Errorf(400, "no limit");\n  return { view, item: {} as Omit<Item${route}, "secret">, found: req.deep ?? false, names: [view.name, req.id], at: ctx.now() };\n});\n`;
  }
}

function bodyOf(place: Place, route: number): string {
  const calls = place.package > 0 && route % 10 === 0 ? `  await previous.call(ctx, { id: req.id });\n` : "";
  return `${calls}  if (req.id === "") throw Errorf(404, "no such item");\n  return {} as View${route};`;
}
