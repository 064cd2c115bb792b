import { act } from "../parts/act.js";
import { ask } from "../parts/ask.js";
import { field, h, none } from "../parts/elements.js";
import { ms, pretty, statusClass } from "../parts/format.js";
import { routeName, sectionLink } from "../parts/links.js";
import { declared } from "../parts/live.js";

/** Creates a form for a request to a route: its fields, its body and the user who sends it. */
export function callForm(route) {
  const place = h("div", { ariaBusy: "true" });
  const finish = (node) => {
    place.ariaBusy = "false";
    place.replaceChildren(node);
  };
  loadForm(route).then(finish, ({ message }) => finish(h("p", { class: "bad" }, message)));
  return place;
}

/** Loads the types and the body editor, and creates the form. */
async function loadForm(route) {
  const name = routeName(route);
  const isJSON = route.carries === "json";
  const [types, bodyType, code] = await Promise.all([
    ask("form", { name: `fields ${name}` }),
    isJSON ? ask("form", { name: `body ${name}` }) : undefined,
    isJSON ? import("../form/editor.js") : undefined,
  ]);
  const inputs = withInputs(fieldsOf(route), types?.schema);
  const credentials = credentialInputs(route);
  const body =
    route.carries === "raw"
      ? h("textarea", { value: route.body ?? "", spellcheck: false, ariaLabel: "Body" })
      : undefined;
  const editor = code?.valueEditor({ form: bodyType, json: route.body, label: "Body" });
  const identity = identityFields(credentials);
  const result = h("section", { ariaLive: "polite", ariaLabel: "Response" });
  const send = act(async () => {
    const text = editor ? editor.read() : body?.value;
    if (showEmptyFields(inputs) || (editor && text === undefined)) return;
    const request = requestOf(route, [...inputs, ...credentials], text);
    if (route.carries === "multipart") request.parts = await partsOf(inputs);
    const response = await ask("call", { ...request, ...identity.read() });
    result.replaceChildren(...responseNodes(response));
    const problems = problemsIn(response);
    editor?.showProblems(
      problems.filter(({ at }) => /^body\b/.test(at)).map((each) => ({ ...each, at: each.at.replace(/^body ?/, "") })),
      false,
    );
    showFieldProblems([...inputs, ...credentials], problems);
  });
  return h(
    "form",
    { noValidate: true, onsubmit: send },
    inputs.length > 0 &&
      h(
        "div",
        { class: "fields" },
        inputs.map(({ node }) => node),
      ),
    (editor || body) && h("fieldset", {}, h("legend", {}, "Body"), editor?.node ?? body),
    identity.node,
    h("button", { class: "primary" }, "Send"),
    result,
  );
}

/** Returns the problems that a 400 lists, each with a path such as `body title` or `query limit`. */
function problemsIn({ status, body }) {
  if (status !== 400) return [];
  try {
    const { error, details } = JSON.parse(body);
    const [, at, problem] = /^((?:body|path|query|form|header|cookie)\b.*?): (.*)$/s.exec(error) ?? [];
    return details?.problems?.filter(isProblem).map(withoutPath) ?? (at === undefined ? [] : [{ at, problem }]);
  } catch {
    return [];
  }
}

/** True for a problem in fw's format. An error of the application may list other values as `problems`. */
function isProblem({ at, problem }) {
  return typeof at === "string" && typeof problem === "string";
}

function withoutPath({ at, problem }) {
  return { at, problem: problem.startsWith(`${at}: `) ? problem.slice(at.length + 2) : problem };
}

/** Shows inputs that cannot be sent. Returns true if there are any, and moves the focus to the first one. */
function showEmptyFields(inputs) {
  const problems = inputs.flatMap(({ each, input }) => {
    const at = `${each.source} ${each.name}`;
    if (input.validity.badInput) return [{ at, input, problem: "this is not a number" }];
    return input.required && input.value === "" ? [{ at, input, problem: "is required" }] : [];
  });
  showFieldProblems(inputs, problems);
  problems[0]?.input.focus();
  return problems.length > 0;
}

function showFieldProblems(inputs, problems) {
  for (const { each, input, error } of inputs) {
    const at = `${each.source} ${each.name}`;
    const own = problems.filter((problem) => problem.at === at || problem.at.startsWith(`${at}[`));
    error.textContent = own.map(({ problem }) => problem).join("; ");
    error.hidden = own.length === 0;
    input.ariaInvalid = String(own.length > 0);
  }
}

/** Returns the route's fields and its other path parameters. */
function fieldsOf({ path, fields }) {
  const bound = new Set(fields.filter(({ source }) => source === "path").map(({ name }) => name));
  const loose = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).filter((name) => !bound.has(name));
  return [...fields, ...loose.map((name) => ({ name, source: "path", type: "string" }))];
}

/** Creates inputs for fields. `schema` contains the types, hints and limits of fields, if known. */
function withInputs(fields, schema) {
  return fields.map((each) => {
    const type = schema?.fields.find(({ name }) => name === `${each.source} ${each.name}`);
    const input = inputFor(each, type?.schema);
    const id = `field-${++count}`;
    const hint = h("span", { id: `${id}-hint`, hidden: !type?.doc }, type?.doc ?? "");
    const error = h("span", { id: `${id}-error`, class: "bad", hidden: true });
    input.setAttribute("aria-describedby", `${hint.id} ${error.id}`);
    input.id = id;
    const node = h("div", {}, h("label", { htmlFor: id }, labelOf(each)), input, hint, error);
    return { each, input, error, node };
  });
}

let count = 0;

function inputFor({ list, source, type, optional }, schema) {
  if (type === "file") return h("input", { type: "file", multiple: list });
  if (list) return h("textarea", { placeholder: "one per line" });
  const required = !optional && source === "path";
  const { kind, variants, limits: { min, max } = {} } = schema ?? {};
  const choices = kind === "boolean" ? ["true", "false"] : variants?.map(({ value }) => String(value));
  const options = (choices ?? []).map((each) => h("option", {}, each));
  if (choices) return h("select", { required }, h("option", { value: "" }, optional ? "none" : "choose…"), options);
  const isNumber = kind === "int" || kind === "number";
  const bounds = isNumber && { type: "number", step: kind === "int" ? "1" : "any", min: min ?? "", max: max ?? "" };
  return h("input", { required, placeholder: type, ...bounds });
}

/** Creates the inputs for the caller: anonymous, a user with roles, or credentials for an Authenticator. */
export function identityFields(credentials, user = "") {
  const email = h("input", {
    type: "email",
    list: "known-users",
    placeholder: "anonymous",
    autocomplete: "off",
    value: user,
  });
  const roles = declared("roles").map(({ name }) => ({ name, input: h("input", { type: "checkbox" }) }));
  const users = ["alice@example.com", "bob@example.com"].map((value) => h("option", { value }));
  const signsIn = declared("auth").length > 0;
  const node =
    (signsIn || credentials.length > 0) &&
    h(
      "fieldset",
      {},
      h("legend", {}, "Send as"),
      signsIn && field("Email address (leave empty for an anonymous request)", email),
      h("datalist", { id: "known-users" }, users),
      signsIn &&
        roles.length > 0 &&
        h(
          "p",
          { class: "row" },
          roles.map(({ name, input }) => h("label", { class: "check" }, input, name)),
        ),
      credentials.map(({ node: each }) => each),
    );
  const read = () => ({
    email: email.value,
    roles: roles.filter(({ input }) => input.checked).map(({ name }) => name),
  });
  return { node, read };
}

/** Creates inputs for the credentials that authenticators read, except fields of the route. */
export function credentialInputs(route) {
  return withInputs(credentialsOf(route));
}

/** Returns the filled-in headers and, as one header, the filled-in cookies. */
export function filledHeaders(inputs) {
  const cookies = filledValues(inputs, "cookie").map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return [...filledValues(inputs, "header"), ...(cookies.length === 0 ? [] : [["cookie", cookies.join("; ")]])].map(
    ([name, value]) => ({ name, value }),
  );
}

/** Returns the credentials that authenticators read, except fields of the route. */
function credentialsOf({ fields }) {
  const all = declared("authenticators").flatMap(({ credentials }) => credentials);
  return [...new Set(all)]
    .map((words) => ({ source: words.split(" ")[0], name: words.split(" ").slice(1).join(" ") }))
    .filter(({ source, name }) => !fields.some((each) => each.source === source && each.name === name))
    .map((each) => ({ ...each, type: "string", optional: true }));
}

function labelOf({ name, source, type, optional }) {
  return `${name} (${source}, ${type}${optional ? ", optional" : ""})`;
}

/** Returns the names and values of the filled-in inputs of a source, such as `query`. */
function filledValues(inputs, source) {
  return inputs
    .filter(({ each, input }) => each.source === source && input.type !== "file" && input.value !== "")
    .flatMap(({ each, input }) =>
      (each.list ? input.value.split("\n") : [input.value]).map((value) => [each.name, value]),
    );
}

/** Returns the fields and files of a multipart form. */
async function partsOf(inputs) {
  const chosen = inputs.flatMap(({ each, input }) =>
    [...(input.files ?? [])].map((file) => ({ name: each.name, file })),
  );
  const files = chosen.map(async ({ name, file }) => {
    const text = Array.from(new Uint8Array(await file.arrayBuffer()), (byte) => String.fromCharCode(byte)).join("");
    return { name, filename: file.name, type: file.type, base64: btoa(text) };
  });
  return [...filledValues(inputs, "form").map(([name, value]) => ({ name, value })), ...(await Promise.all(files))];
}

/** Builds the request from the filled-in form. */
function requestOf(route, inputs, text) {
  const values = (source) => filledValues(inputs, source);
  const params = Object.fromEntries(values("path"));
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? ""));
  const query = new URLSearchParams(values("query"));
  const form = route.carries === "form" ? String(new URLSearchParams(values("form"))) : undefined;
  const cookies = values("cookie").map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const type = {
    json: "application/json",
    raw: "text/plain",
    form: "application/x-www-form-urlencoded",
  }[route.carries];
  const headers = [
    ...values("header"),
    ...(type === undefined ? [] : [["content-type", type]]),
    ...(cookies.length === 0 ? [] : [["cookie", cookies.join("; ")]]),
  ].map(([name, value]) => ({ name, value }));
  return { method: route.method, path: path + (query.size > 0 ? `?${query}` : ""), headers, body: text ?? form };
}

export function responseNodes({ status, ms: took, body, cut, headers }) {
  const lines = headers.map(([name, value]) => `${name}: ${value}`).join("\n");
  const requestId = headers.find(([name]) => name === "x-request-id")?.[1];
  const nodes = [
    h("h3", {}, "Response: ", h("span", { class: statusClass(status) }, String(status)), ` in ${ms(took)}`),
    requestId !== undefined &&
      h("p", {}, h("a", { href: sectionLink("requests", { request: requestId }) }, "Show the steps of this request")),
    h("pre", { tabIndex: 0 }, pretty(body) || "(empty)"),
    ...(cut ? [none("The response is longer. Only its beginning is shown.")] : []),
    h("details", {}, h("summary", {}, "Headers"), h("pre", { tabIndex: 0 }, lines)),
  ];
  return nodes.filter(Boolean);
}
