import { register } from "node:module";

// Preloaded module that rejects imports of packages that read source.
const hooks = `
export async function resolve(specifier, context, next) {
  if (/^(?:typescript|rolldown|@handlebars\\/parser|@rolldown\\/)/.test(specifier))
    throw new Error("fw serve loads " + specifier + " from " + context.parentURL);
  return next(specifier, context);
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`, import.meta.url);
