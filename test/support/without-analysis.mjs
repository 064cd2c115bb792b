import { register } from "node:module";

// Loaded before the command: what reads source is as if it were not installed.
const hooks = `
export async function resolve(specifier, context, next) {
  if (/^(?:typescript|rolldown|@handlebars\\/parser|@rolldown\\/)/.test(specifier))
    throw new Error("fw serve loads " + specifier + " from " + context.parentURL);
  return next(specifier, context);
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`, import.meta.url);
