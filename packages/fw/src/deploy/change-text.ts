import { isFields, itemsOf, listOf, textOf, type Change, type Value } from "./fields.ts";

/** The maximum length of a value in a plan. */
const maxCharacters = 80;

/** Formats a change: `template.containers[0].image: "a" → "b"`; for grants, a line for each added or removed one. */
export function changeTexts({ path, from, to }: Change): readonly string[] {
  if (path === "bindings") return grantTexts(from ?? [], to);
  return [from === undefined ? `${path}: ${abbreviate(to)}` : `${path}: ${abbreviate(from)} → ${abbreviate(to)}`];
}

function abbreviate(value: Value): string {
  const text = JSON.stringify(value);
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters - 1)}…` : text;
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
    const names = listOf(members).map((member) =>
      textOf(member)
        .replace(/^serviceAccount:/, "")
        .replace(/@.*$/, ""),
    );
    return names.map((member) => `${textOf(role)}: ${member}${where}`);
  });
}
