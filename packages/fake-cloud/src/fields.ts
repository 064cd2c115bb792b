import { query, type Call } from "./api.ts";

/** Reduces a response to the parts that a partial request selects: `items(name,size),nextPageToken`. */
export function onlyFields(answer: unknown, mask: string): unknown {
  const tree = parse(mask);
  return pick(answer, tree);
}

type Tree = Map<string, Tree>;

/** Returns the members of a value that `tree` selects. An empty tree selects all of them. */
function pick(value: unknown, tree: Tree): unknown {
  if (tree.size === 0 || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => pick(item, tree));
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      const below = tree.get(name) ?? tree.get("*");
      return below ? [[name, pick(inner, below)]] : [];
    }),
  );
}

function parse(mask: string): Tree {
  const tokens = mask.match(/[\w*]+|[(),/.]/g) ?? [];
  let at = 0;
  return list();

  function list(): Tree {
    const tree: Tree = new Map();
    for (;;) {
      const name = tokens[at++];
      if (name === undefined || !/^[\w*]+$/.test(name)) return tree;
      tree.set(name, below());
      if (tokens[at] !== ",") return tree;
      at += 1;
    }
  }
  function below(): Tree {
    if (tokens[at] === "/" || tokens[at] === ".") {
      at += 1;
      const name = tokens[at++] ?? "";
      return new Map([[name, below()]]);
    }
    if (tokens[at] !== "(") return new Map();
    at += 1;
    const tree = list();
    at += 1;
    return tree;
  }
}

/** Returns the resource in a call's body: the body itself, or its member `wrapped`. */
export function wantedIn({ body }: Call, wrapped?: string): object {
  return wrapped === undefined ? (body as object) : ((body as Readonly<Record<string, object>>)[wrapped] ?? {});
}

/**
 * Returns the changed fields in a request. The update mask is in the body if `wrapped` names the resource, else in the
 * query.
 */
export function changeIn(call: Call, wrapped?: string): object {
  const { updateMask = "" } = call.body as { updateMask?: string };
  return masked(wantedIn(call, wrapped), wrapped === undefined ? (query(call, "updateMask") ?? "") : updateMask);
}

/** Selects the fields of an update mask (`pushConfig,retryPolicy`); all fields without one. */
export function masked<Change extends object>(change: Change, mask: string): Partial<Change> {
  const names = mask
    .split(",")
    .filter(Boolean)
    .map((path) => camel(path.split(".")[0] ?? ""));
  if (names.length === 0 || names.includes("*")) return change;
  const values: Partial<Change> = {};
  // Removes a field that the mask names and the body omits.
  for (const name of names as (keyof Change)[]) values[name] = change[name];
  return values;
}

function camel(name: string): string {
  return name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
