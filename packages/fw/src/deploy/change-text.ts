import { isFields, itemsOf, listOf, textOf, type Change, type Value } from "./fields.ts";

/** Characters of a value in a plan, at most. */
const most = 80;

/** `template.containers[0].image: "a" → "b"`; of grants a line for each that is new or goes. */
export function changeTexts({ path, from, to }: Change): readonly string[] {
  if (path === "bindings") return grantTexts(from ?? [], to);
  return [from === undefined ? `${path}: ${shown(to)}` : `${path}: ${shown(from)} → ${shown(to)}`];
}

function shown(value: Value): string {
  const text = JSON.stringify(value);
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/** `+ roles/run.invoker: shop-prod-web` */
export function grantTexts(from: Value, to: Value): readonly string[] {
  const [before, after] = [grantsIn(from), grantsIn(to)];
  return [
    ...after.filter((grant) => !before.includes(grant)).map((grant) => `+ ${grant}`),
    ...before.filter((grant) => !after.includes(grant)).map((grant) => `- ${grant}`),
  ];
}

function grantsIn(bindings: Value): readonly string[] {
  return itemsOf(bindings).flatMap(({ role, members, condition }) => {
    const where = isFields(condition) ? ` (${textOf(condition["title"])})` : "";
    const named = listOf(members).map((member) =>
      textOf(member)
        .replace(/^serviceAccount:/, "")
        .replace(/@.*$/, ""),
    );
    return named.map((member) => `${textOf(role)}: ${member}${where}`);
  });
}
