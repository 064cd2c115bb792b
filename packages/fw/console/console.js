// The page of the console. Whatever it shows of the application goes in as text, never as markup.

const token = document.querySelector('meta[name="fw-console"]').content;
const main = document.getElementById("main");
const said = document.getElementById("said");

/** Events that are kept, as many as the server keeps. */
const keptEvents = 10_000;
/** Rows that a list shows before it is asked for more. */
const shownRows = 200;

const events = [];
let last = 0;
let model;
let connected = true;

// ---- asking ----

/** Asks the server; rejects with its sentence. */
async function ask(operation, given = {}) {
  const answer = await fetch(`/_fw/console/api/${operation}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Fw-Console": token },
    body: JSON.stringify(given),
  });
  const body = await answer.json().catch(() => ({ error: `the server answered ${answer.status}` }));
  if (answer.status === 403) throw new Error("The server has started anew: reload this page.");
  if (!answer.ok) throw new Error(body.error);
  return body;
}

let saidTimer;
function say(sentence) {
  said.textContent = sentence;
  clearTimeout(saidTimer);
  saidTimer = setTimeout(() => (said.textContent = ""), 6000);
}

/** Does what somebody has asked for by a button, and says how it went. */
function act(work, done) {
  return async (event) => {
    event?.preventDefault();
    const button = event?.submitter ?? (event?.type === "click" ? event.currentTarget : undefined);
    if (button) button.disabled = true;
    try {
      const answer = await work();
      if (done) say(typeof done === "function" ? done(answer) : done);
    } catch (error) {
      say(error.message);
    } finally {
      if (button) button.disabled = false;
    }
  };
}

/** Asks before what cannot be undone. */
function sure(sentence) {
  if (!confirm(sentence)) throw new Error("Nothing was changed.");
}

// ---- building ----

/** An element with properties, and children of which texts are texts. */
function h(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "class") node.className = value;
    else if (name in node && name !== "list") node[name] = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== false));
  return node;
}

function field(label, input, attributes = {}) {
  return h("label", attributes, label, input);
}

/** Heads are texts, or texts with a class. */
function table(caption, heads, rows) {
  const cells = heads.map((head) =>
    typeof head === "string"
      ? h("th", { scope: "col" }, head === "" ? h("span", { class: "hidden" }, "Actions") : head)
      : h("th", { scope: "col", class: head[1] }, head[0]),
  );
  const body = h("tbody", {}, rows);
  const node = h(
    "div",
    { class: "card scroll", tabIndex: 0, role: "region", ariaLabel: caption },
    h("table", {}, h("caption", { class: "hidden" }, caption), h("thead", {}, h("tr", {}, cells)), body),
  );
  node.rows = body;
  return node;
}

function tr(...cells) {
  return h(
    "tr",
    {},
    cells.map((cell) => (cell instanceof Node && cell.tagName === "TD" ? cell : h("td", {}, cell ?? ""))),
  );
}

function td(className, ...children) {
  return h("td", { class: className }, children);
}

function none(sentence) {
  return h("p", { class: "none" }, sentence);
}

function time(at) {
  const date = new Date(at);
  const two = (number, width = 2) => String(number).padStart(width, "0");
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${two(date.getMilliseconds(), 3)}`;
}

function dateTime(value) {
  const at = plainDate(value);
  return at === undefined ? "" : new Date(at).toLocaleString();
}

/** Dates travel as { $date: milliseconds }. */
function plainDate(value) {
  if (value && typeof value === "object" && "$date" in value) return value.$date;
  return typeof value === "string" || typeof value === "number" ? value : undefined;
}

function ms(value) {
  if (value < 10) return `${value.toFixed(1)} ms`;
  return value < 10_000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(1)} s`;
}

function number(value) {
  return Number.isInteger(value)
    ? value.toLocaleString()
    : value.toLocaleString(undefined, { maximumFractionDigits: 2 });
}

function bytes(size) {
  if (size < 1000) return `${size} B`;
  return size < 1e6 ? `${(size / 1e3).toFixed(1)} kB` : `${(size / 1e6).toFixed(1)} MB`;
}

function statusClass(status) {
  if (status >= 500) return "bad";
  return status >= 400 ? "warn" : "good";
}

function all(key) {
  return (model?.graph.services ?? []).flatMap((service) =>
    (service[key] ?? []).map((each) => ({ ...each, owner: service.name })),
  );
}

// ---- requests and logs ----

/** A list of events that grows at its top. */
function eventList({ kind, matches, row, caption, heads, nothing }) {
  let shown = shownRows;
  const body = table(caption, heads, []);
  const status = h("p", { class: "muted" });
  const more = h("button", { onclick: () => ((shown += 1000), rebuild()) }, "Show more");
  const foot = h("div", { class: "row" }, status, more);
  let matching = 0;

  function rebuild() {
    const found = [];
    matching = 0;
    for (let i = events.length - 1; i >= 0; i--) {
      const event = events[i];
      if (event.kind !== kind || !matches(event)) continue;
      matching += 1;
      if (found.length < shown) found.push(row(event));
    }
    body.rows.replaceChildren(...found);
    describe();
  }

  function describe() {
    const rows = body.rows.childElementCount;
    body.hidden = rows === 0;
    more.hidden = rows >= matching;
    status.textContent =
      matching === 0 ? nothing : rows < matching ? `The newest ${number(rows)} of ${number(matching)}` : "";
  }

  function added(fresh) {
    const own = fresh.filter((event) => event.kind === kind && matches(event));
    if (own.length === 0) return;
    matching += own.length;
    body.rows.prepend(...own.slice(-shown).toReversed().map(row));
    while (body.rows.childElementCount > shown) body.rows.lastElementChild.remove();
    describe();
  }

  rebuild();
  return { node: h("div", {}, body, foot), rebuild, added };
}

/** A filter of which every word must be somewhere in the event. */
function words(input) {
  const wanted = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  return (event) => {
    if (wanted.length === 0) return true;
    event.text ??= JSON.stringify(Object.values(event)).toLowerCase();
    return wanted.every((word) => event.text.includes(word));
  };
}

function requests() {
  const filter = h("input", {
    type: "search",
    placeholder: "path, method, user, service",
    oninput: () => list.rebuild(),
  });
  const only = h(
    "select",
    { onchange: () => list.rebuild() },
    h("option", { value: "0" }, "all"),
    h("option", { value: "400" }, "refused or failed"),
    h("option", { value: "500" }, "failed"),
  );
  const columns = h("div", { class: "columns" });
  const detail = h("aside", { class: "card padded", ariaLabel: "The request", hidden: true });
  const list = eventList({
    kind: "request",
    caption: "Requests, the newest first",
    heads: ["Time", "Request", "Status", ["Took", "number"], "Service", "User"],
    nothing: events.some((event) => event.kind === "request")
      ? "No request fits."
      : "No request yet. Open the application, and it shows here.",
    matches: (event) => event.status >= Number(only.value) && words(filter)(event),
    row: (event) =>
      tr(
        td("tight mono", time(event.at)),
        td(
          "text",
          h(
            "button",
            { class: "link mono", onclick: (click) => open(event, click.currentTarget.closest("tr")) },
            `${event.method} ${event.path}`,
          ),
        ),
        td(`tight ${statusClass(event.status)}`, String(event.status)),
        td("number", ms(event.ms)),
        td("tight", event.service ?? ""),
        td("tight", event.user ?? ""),
      ),
  });

  function open(event, row) {
    for (const chosen of list.node.querySelectorAll(".chosen")) chosen.classList.remove("chosen");
    row?.classList.add("chosen");
    columns.classList.add("open");
    detail.hidden = false;
    const close = h(
      "button",
      {
        onclick: () => ((detail.hidden = true), columns.classList.remove("open"), row?.querySelector("button").focus()),
      },
      "Close",
    );
    detail.replaceChildren(...requestDetail(event, close));
    detail.querySelector("h2").focus();
  }

  columns.append(list.node, detail);
  return {
    nodes: [
      h("h1", {}, "Requests"),
      h("div", { class: "tools" }, field("Filter", filter, { class: "wide" }), field("Show", only)),
      columns,
    ],
    added: list.added,
  };
}

/** A request with what it led to, and why it failed. */
function requestDetail(event, close) {
  const trace = events.filter((each) => each.kind === "request" && each.trace === event.trace);
  const ids = new Set(trace.map(({ id }) => id));
  const logs = events.filter(
    (each) => each.kind === "log" && (ids.has(each.fields.req) || each.fields.trace === event.trace),
  );
  const cause = logs.find((log) => log.severity === "ERROR" && causeOf(log) !== undefined);
  const [from, to] = [Math.min(...trace.map(({ at }) => at)), Math.max(...trace.map((each) => each.at + each.ms))];
  return [
    h("div", { class: "head" }, h("h2", { class: "mono", tabIndex: -1 }, `${event.method} ${event.path}`), close),
    h(
      "dl",
      {},
      ...[
        [
          "Status",
          h(
            "span",
            { class: statusClass(event.status) },
            event.status === 499 ? "499, the client went away" : String(event.status),
          ),
        ],
        ["Route", event.route],
        ["Began", `${time(event.at)}, took ${ms(event.ms)}`],
        ["Service", event.service],
        ["Called by", event.caller],
        ["User", event.user],
        ["Request", h("span", { class: "mono" }, event.id)],
      ]
        .filter(([, value]) => value !== undefined)
        .flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
    ),
    cause && h("h3", { class: "bad" }, "Why it failed"),
    cause && h("pre", { tabIndex: 0 }, causeOf(cause)),
    trace.length > 1 && h("h3", {}, "Over services"),
    trace.length > 1 &&
      h(
        "ol",
        { class: "trace" },
        trace
          .toSorted((a, b) => a.at - b.at)
          .map((each) => {
            const bar = h("div", { class: each.status >= 500 ? "failed" : "" });
            const span = Math.max(to - from, 0.001);
            bar.style.marginInlineStart = `${((each.at - from) / span) * 100}%`;
            bar.style.width = `${(each.ms / span) * 100}%`;
            return h(
              "li",
              {},
              h("span", { class: "mono" }, `${each.service ?? ""} ${each.route}`),
              ` ${ms(each.ms)} `,
              h("span", { class: statusClass(each.status) }, String(each.status)),
              h("div", { class: "lane", ariaHidden: "true" }, bar),
            );
          }),
      ),
    h("h3", {}, "Logs"),
    logs.length === 0 ? none("It logged nothing.") : h("ul", { class: "logs" }, logs.map(logItem)),
  ].filter(Boolean);
}

/** The stack of the error that a line has. */
function causeOf({ fields }) {
  const error = Object.values(fields).find((value) => value && typeof value === "object" && "stack" in value);
  return error && String(error.stack);
}

function severityClass(severity) {
  return { ERROR: "bad", WARNING: "warn" }[severity] ?? "muted";
}

function fieldsText(fields) {
  const rest = Object.entries(fields).filter(([, value]) => !(value && typeof value === "object" && "stack" in value));
  return rest.map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`).join("  ");
}

function logItem(event) {
  return h(
    "li",
    {},
    h("span", { class: "mono muted" }, time(event.at)),
    " ",
    h("span", { class: severityClass(event.severity) }, event.severity === "DEFAULT" ? "" : event.severity),
    ` ${event.message} `,
    h("span", { class: "mono muted" }, fieldsText(event.fields)),
  );
}

function logs() {
  const filter = h("input", { type: "search", placeholder: "text, field, service", oninput: () => list.rebuild() });
  const only = h(
    "select",
    { onchange: () => list.rebuild() },
    h("option", { value: "" }, "all"),
    h("option", { value: "WARNING ERROR" }, "warnings and errors"),
    h("option", { value: "ERROR" }, "errors"),
  );
  const list = eventList({
    kind: "log",
    caption: "Log lines, the newest first",
    heads: ["Time", "Severity", "Message", "Service"],
    nothing: "Nothing was logged that fits.",
    matches: (event) => (only.value === "" || only.value.includes(event.severity)) && words(filter)(event),
    row: (event) => {
      const cause = causeOf(event);
      return tr(
        td("tight mono", time(event.at)),
        td(`tight ${severityClass(event.severity)}`, event.severity === "DEFAULT" ? "" : event.severity),
        td(
          "text",
          event.message,
          " ",
          h("span", { class: "mono muted" }, fieldsText(event.fields)),
          cause && h("details", {}, h("summary", {}, "Stack"), h("pre", { tabIndex: 0 }, cause)),
        ),
        td("tight", event.service),
      );
    },
  });
  return {
    nodes: [
      h("h1", {}, "Logs"),
      h("div", { class: "tools" }, field("Filter", filter, { class: "wide" }), field("Show", only)),
      list.node,
    ],
    added: list.added,
  };
}

// ---- routes ----

function routes() {
  const known = model?.routes ?? [];
  const filter = h("input", { type: "search", placeholder: "path, method, service", oninput: () => fill() });
  const columns = h("div", { class: "columns" });
  const detail = h("aside", { class: "card padded", ariaLabel: "The route", hidden: true });
  const list = table("Routes", ["Route", "Who gets in", "Kind", "Service", "Where"], []);

  function fill() {
    const wanted = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = known.filter((route) => wanted.every((word) => JSON.stringify(route).toLowerCase().includes(word)));
    list.rows.replaceChildren(
      ...fits.map((route) =>
        tr(
          td(
            "text",
            h(
              "button",
              { class: "link mono", onclick: (click) => open(route, click.currentTarget.closest("tr")) },
              `${route.method} ${route.path}`,
            ),
          ),
          td("tight", route.door),
          td("tight", { api: "API", page: "Page", mount: "Mount" }[route.kind]),
          td("tight", route.service),
          td("tight mono", route.at),
        ),
      ),
    );
  }

  function open(route, row) {
    for (const chosen of list.querySelectorAll(".chosen")) chosen.classList.remove("chosen");
    row.classList.add("chosen");
    columns.classList.add("open");
    detail.hidden = false;
    const close = h(
      "button",
      {
        onclick: () => ((detail.hidden = true), columns.classList.remove("open"), row.querySelector("button").focus()),
      },
      "Close",
    );
    detail.replaceChildren(
      h("div", { class: "head" }, h("h2", { class: "mono", tabIndex: -1 }, `${route.method} ${route.path}`), close),
      callForm(route),
    );
    detail.querySelector("h2").focus();
  }

  fill();
  columns.append(list, detail);
  const nodes =
    known.length === 0
      ? [none("The application has no route, or is being analysed.")]
      : [h("div", { class: "tools" }, field("Filter", filter, { class: "wide" })), columns];
  return { nodes: [h("h1", {}, "Routes"), ...nodes] };
}

/** Asks for what a request of the route carries, and for whom it is made. */
function callForm(route) {
  const inputs = route.fields.map((each) => ({
    each,
    input: h(each.list ? "textarea" : "input", {
      required: !each.optional && each.source === "path",
      placeholder: each.list ? "one a line" : each.type,
    }),
  }));
  const loose = [...route.path.matchAll(/\{(\w+)\}/g)]
    .map(([, name]) => name)
    .filter((name) => !route.fields.some((each) => each.source === "path" && each.name === name));
  for (const name of loose)
    inputs.push({ each: { name, source: "path", type: "string" }, input: h("input", { required: true }) });
  const body =
    route.carries === "json" || route.carries === "raw"
      ? h("textarea", { value: route.body ?? "", spellcheck: false })
      : undefined;
  const email = h("input", { type: "email", list: "known-users", placeholder: "nobody", autocomplete: "off" });
  email.setAttribute("list", "known-users");
  const roles = all("roles").map(({ name }) => ({ name, input: h("input", { type: "checkbox" }) }));
  const result = h("section", { ariaLive: "polite", ariaLabel: "The answer" });

  const send = act(async () => {
    const of = (source) => inputs.filter(({ each, input }) => each.source === source && input.value !== "");
    const valuesOf = ({ each, input }) =>
      (each.list ? input.value.split("\n") : [input.value]).map((value) => [each.name, value]);
    const values = Object.fromEntries(of("path").flatMap(valuesOf));
    const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name] ?? ""));
    const query = new URLSearchParams(of("query").flatMap(valuesOf));
    const form =
      route.carries === "form" || route.carries === "multipart"
        ? new URLSearchParams(of("form").flatMap(valuesOf)).toString()
        : undefined;
    const cookies = of("cookie")
      .flatMap(valuesOf)
      .map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    const headers = [
      ...of("header")
        .flatMap(valuesOf)
        .map(([name, value]) => ({ name, value })),
      ...(body ? [{ name: "content-type", value: route.carries === "json" ? "application/json" : "text/plain" }] : []),
      ...(form === undefined ? [] : [{ name: "content-type", value: "application/x-www-form-urlencoded" }]),
      ...(cookies.length > 0 ? [{ name: "cookie", value: cookies.join("; ") }] : []),
    ];
    const chosen = roles.filter(({ input }) => input.checked).map(({ name }) => name);
    const answer = await ask("call", {
      method: route.method,
      path: path + (query.size > 0 ? `?${query}` : ""),
      headers,
      body: body?.value ?? form,
      email: email.value,
      roles: chosen,
    });
    result.replaceChildren(
      h(
        "h3",
        {},
        "Answer: ",
        h("span", { class: statusClass(answer.status) }, String(answer.status)),
        ` in ${ms(answer.ms)}`,
      ),
      h("pre", { tabIndex: 0 }, pretty(answer.body) || "(empty)"),
      answer.cut && none("The rest is left out."),
      h(
        "details",
        {},
        h("summary", {}, "Headers"),
        h("pre", { tabIndex: 0 }, answer.headers.map(([name, value]) => `${name}: ${value}`).join("\n")),
      ),
    );
  });

  return h(
    "form",
    { onsubmit: send },
    h("p", { class: "muted" }, `${route.door}, ${route.at}`),
    inputs.length > 0 &&
      h(
        "div",
        { class: "fields" },
        inputs.map(({ each, input }) =>
          field(`${each.name} (${each.source}, ${each.type}${each.optional ? ", optional" : ""})`, input),
        ),
      ),
    body && field("Body", body),
    h(
      "fieldset",
      {},
      h("legend", {}, "As"),
      field("Address of somebody, or nobody", email),
      h(
        "datalist",
        { id: "known-users" },
        ["alice@example.com", "bob@example.com"].map((value) => h("option", { value })),
      ),
      roles.length > 0 &&
        h(
          "p",
          { class: "row" },
          roles.map(({ name, input }) => h("label", { class: "check" }, input, name)),
        ),
    ),
    h("button", { class: "primary" }, "Send"),
    result,
  );
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

// ---- data ----

function data() {
  const entities = all("entities");
  if (entities.length === 0) return { nodes: [h("h1", {}, "Data"), none("The application declares no Entity.")] };
  const kind = h(
    "select",
    { onchange: () => (filters.replaceChildren(), order.replaceChildren(...orders()), load()) },
    entities.map(({ name }) => h("option", {}, name)),
  );
  const chosen = () => entities.find(({ name }) => name === kind.value);
  const filters = h("div", { class: "row" });
  const orders = () => [
    h("option", { value: "" }, "by id"),
    ...chosen().indexed.flatMap((name) => [
      h("option", { value: `${name} asc` }, `${name}, ascending`),
      h("option", { value: `${name} desc` }, `${name}, descending`),
    ]),
  ];
  const order = h("select", {}, orders());
  const found = h("div", {});

  function addFilter() {
    const property = h(
      "select",
      { ariaLabel: "Field" },
      chosen().indexed.map((name) => h("option", {}, name)),
    );
    const op = h(
      "select",
      { ariaLabel: "Comparison" },
      ["==", "<", "<=", ">", ">="].map((each) => h("option", {}, each)),
    );
    const value = h("input", { ariaLabel: "Value", placeholder: 'open, 7, true, {"$date": 0}' });
    const row = h(
      "span",
      { class: "row", role: "group", ariaLabel: "Condition" },
      property,
      op,
      value,
      h("button", { type: "button", onclick: () => row.remove() }, "Remove"),
    );
    row.read = () => ({ property: property.value, op: op.value, value: value.value });
    filters.append(row);
    value.focus();
  }

  async function load(after) {
    const [property, direction] = order.value.split(" ");
    const query = {
      kind: kind.value,
      filters: [...filters.children].map((row) => row.read()),
      orders: order.value === "" ? [] : [{ property, direction }],
      after,
    };
    try {
      const answer = await ask("documents", query);
      const via =
        answer.indexes.length === 0
          ? "read in the order of ids, without an index"
          : `found by ${answer.indexes.map((index) => `the index (${index.join(", ")})`).join(" and ")}`;
      const list = table(
        `Documents of ${kind.value}`,
        ["Id", "Document", ""],
        answer.documents.map((document) => documentRow(query.kind, document, load)),
      );
      found.replaceChildren(
        h("p", { class: "muted" }, `${number(answer.count)} ${answer.count === 1 ? "document" : "documents"}, ${via}`),
        ...(answer.documents.length === 0 ? [] : [list]),
      );
      if (answer.next) found.append(h("p", {}, h("button", { onclick: () => load(answer.next) }, "Next page")));
    } catch (error) {
      found.replaceChildren(h("p", { class: "bad" }, error.message));
    }
  }

  void load();
  return {
    nodes: [
      h("h1", {}, "Data"),
      h(
        "form",
        { onsubmit: (event) => (event.preventDefault(), load()) },
        h(
          "div",
          { class: "tools" },
          field("Entity", kind),
          field("Order", order),
          h("button", { type: "button", onclick: addFilter }, "Add condition"),
          h("button", { class: "primary" }, "Find"),
        ),
        filters,
      ),
      found,
    ],
  };
}

function documentRow(kind, document, reload) {
  const place = { kind, id: document.id, version: document.version };
  const text = JSON.stringify(document.fields, undefined, 2);
  const shown = td("text", h("pre", { tabIndex: 0 }, text));
  const edit = () => {
    const area = h("textarea", {
      value: text,
      ariaLabel: `Document ${document.id}`,
      rows: Math.min(24, text.split("\n").length + 1),
      spellcheck: false,
    });
    const save = act(async () => {
      await ask("documents/save", { ...place, json: area.value });
      await reload();
    }, "Saved.");
    shown.replaceChildren(
      area,
      h(
        "p",
        { class: "row" },
        h("button", { class: "primary", onclick: save }, "Save"),
        h("button", { onclick: () => shown.replaceChildren(h("pre", { tabIndex: 0 }, text)) }, "Cancel"),
      ),
    );
    area.focus();
  };
  const remove = act(async () => {
    sure(`Delete the document ${document.id}?`);
    await ask("documents/delete", place);
    await reload();
  }, "Deleted.");
  return tr(
    td("mono", document.id),
    shown,
    td(
      "tight",
      h(
        "span",
        { class: "row" },
        h("button", { onclick: edit }, "Edit"),
        h("button", { class: "danger", onclick: remove }, "Delete"),
      ),
    ),
  );
}

function objects() {
  const buckets = all("buckets");
  if (buckets.length === 0) return { nodes: [h("h1", {}, "Objects"), none("The application declares no Bucket.")] };
  const bucket = h(
    "select",
    { onchange: () => load() },
    buckets.map(({ name }) => h("option", {}, name)),
  );
  const prefix = h("input", { placeholder: "everything" });
  const found = h("div", {});

  async function load(after) {
    try {
      const { objects: rows, next } = await ask("objects", { bucket: bucket.value, prefix: prefix.value, after });
      const list = table(
        `Objects of ${bucket.value}`,
        ["Key", "Type", ["Size", "number"], "Updated", ""],
        rows.map((object) => objectRow(bucket.value, object, load)),
      );
      found.replaceChildren(rows.length === 0 ? none("There is no object that begins so.") : list);
      if (next) found.append(h("p", {}, h("button", { onclick: () => load(next) }, "Next page")));
    } catch (error) {
      found.replaceChildren(h("p", { class: "bad" }, error.message));
    }
  }

  void load();
  return {
    nodes: [
      h("h1", {}, "Objects"),
      h(
        "form",
        { class: "tools", onsubmit: (event) => (event.preventDefault(), load()) },
        field("Bucket", bucket),
        field("Keys that begin with", prefix, { class: "wide" }),
        h("button", { class: "primary" }, "Find"),
      ),
      found,
    ],
  };
}

function objectRow(bucket, { key, size, contentType, updated }, reload) {
  const download = act(async () => {
    const { base64 } = await ask("objects/read", { bucket, key });
    const content = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    // It is saved and never shown: what somebody has uploaded is no page of this origin.
    const url = URL.createObjectURL(new Blob([content], { type: "application/octet-stream" }));
    h("a", { href: url, download: key.split("/").at(-1) }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  });
  const remove = act(async () => {
    sure(`Delete the object ${key}?`);
    await ask("objects/delete", { bucket, key });
    await reload();
  }, "Deleted.");
  return tr(
    td("text mono", key),
    td("tight", contentType),
    td("number", bytes(size)),
    td("tight", dateTime(updated)),
    td(
      "tight",
      h(
        "span",
        { class: "row" },
        h("button", { onclick: download }, "Save"),
        h("button", { class: "danger", onclick: remove }, "Delete"),
      ),
    ),
  );
}

// ---- messages, schedules, people ----

function messages() {
  const waiting = h("div", {});
  const dead = h("div", {});

  async function load() {
    const { backlog, dead: letters } = await ask("messages");
    waiting.replaceChildren(
      backlog.length === 0
        ? none("The application has no queue, topic or job that anybody takes.")
        : table(
            "What waits",
            ["From", "Taken by", ["Waiting", "number"], ["In flight", "number"], ["Tried before", "number"], "Next"],
            backlog.map((each) =>
              tr(
                td("tight mono", each.destination),
                td("tight", each.consumer || "nobody"),
                td("number", number(each.messages - each.inFlight)),
                td("number", number(each.inFlight)),
                td(`number ${each.retried > 0 ? "warn" : ""}`, number(each.retried)),
                td("tight", each.messages > each.inFlight ? dateTime(each.due) : ""),
              ),
            ),
          ),
    );
    counts.messages = letters.length;
    paintCounts();
    const key = JSON.stringify(letters.map(({ id, position }) => [id, position]));
    if (dead.dataset.key === key) return;
    dead.dataset.key = key;
    dead.replaceChildren(
      letters.length === 0
        ? none("No message was given up.")
        : table(
            "Dead messages, the newest first",
            ["Died", "Whose", "Why", "Message", ""],
            letters.map((letter) => deadRow(letter, load)),
          ),
    );
  }

  return { nodes: [h("h1", {}, "Messages"), waiting, h("h2", {}, "Dead messages"), dead], load, every: 2000 };
}

function deadRow({ id, consumer, died, reason, attempts, body }, reload) {
  const again = (operation, sentence) =>
    act(async () => {
      if (operation === "messages/drop") sure(`Forget the message ${id}?`);
      const { done } = await ask(operation, { consumer, id });
      await reload();
      if (!done) throw new Error("It is gone already.");
    }, sentence);
  return tr(
    td("tight", dateTime(died)),
    td("tight", consumer),
    td("text bad", `${reason} (${attempts} attempts)`),
    td("text", h("pre", { tabIndex: 0 }, pretty(body))),
    td(
      "tight",
      h(
        "span",
        { class: "row" },
        h("button", { onclick: again("messages/replay", "Sent again.") }, "Replay"),
        h("button", { class: "danger", onclick: again("messages/drop", "Forgotten.") }, "Drop"),
      ),
    ),
  );
}

function schedules() {
  const [crons, jobs, singletons] = [all("crons"), all("jobs"), all("singletons")];
  const cronRow = ({ name, schedule, timezone, at }) =>
    tr(
      td("tight", name),
      td("tight mono", schedule),
      td("tight", timezone),
      td("tight mono", at),
      h("button", { onclick: act(() => ask("crons/run", { name }), `${name} has run.`) }, "Run now"),
    );
  const jobRow = ({ name, at }) => {
    const args = h("input", {
      ariaLabel: `Arguments of ${name}, as JSON`,
      placeholder: "arguments as JSON",
      class: "mono",
    });
    return tr(
      td("tight", name),
      td("text", args),
      td("tight mono", at),
      h(
        "button",
        {
          onclick: act(
            () => ask("jobs/start", { name, args: args.value }),
            ({ run }) => `${name} has started: ${run}`,
          ),
        },
        "Start",
      ),
    );
  };
  return {
    nodes: [
      h("h1", {}, "Crons and jobs"),
      h("h2", {}, "Crons"),
      crons.length === 0
        ? none("The application declares no Cron.")
        : table("Crons", ["Name", "Schedule", "Time zone", "Where", ""], crons.map(cronRow)),
      h("h2", {}, "Jobs"),
      jobs.length === 0
        ? none("The application declares no Job.")
        : table("Jobs", ["Name", "Arguments", "Where", ""], jobs.map(jobRow)),
      ...(singletons.length === 0
        ? []
        : [
            h("h2", {}, "Singletons"),
            table(
              "Singletons",
              ["Name", "Service", "Where"],
              singletons.map(({ name, service, at }) => tr(name, service, td("mono", at))),
            ),
          ]),
    ],
  };
}

function people() {
  const found = h("div", {});
  async function load(after) {
    const { accounts, next } = await ask("accounts", { after: typeof after === "string" ? after : "" });
    const row = ({ id, email, name, claims, disabled, emailVerified, created, sessions }) =>
      tr(
        td("text", email, name && h("div", { class: "muted" }, name)),
        td("text", (claims.roles ?? []).join(", ")),
        td(
          "tight",
          disabled
            ? h("span", { class: "bad" }, "disabled")
            : emailVerified
              ? "verified"
              : h("span", { class: "warn" }, "not verified"),
        ),
        td("tight", dateTime(created)),
        td(
          "tight",
          sessions.map(({ provider, began }) => h("div", {}, `${provider}, since ${dateTime(began)}`)),
        ),
        td(
          "tight",
          sessions.length > 0 &&
            h(
              "button",
              {
                class: "danger",
                onclick: act(
                  async () => (
                    sure(`Sign ${email} out everywhere?`),
                    await ask("accounts/sign-out", { id }),
                    await load()
                  ),
                  "Signed out.",
                ),
              },
              "Sign out",
            ),
        ),
      );
    found.replaceChildren(
      accounts.length === 0
        ? none("There is no account yet.")
        : table("Accounts", ["Account", "Roles", "State", "Created", "Sessions", ""], accounts.map(row)),
    );
    if (next) found.append(h("p", {}, h("button", { onclick: () => load(next) }, "Next page")));
  }
  const auth = all("auth");
  if (auth.length === 0)
    return { nodes: [h("h1", {}, "People"), none("The application declares no Auth: nobody signs in.")] };
  return {
    nodes: [
      h("h1", {}, "People"),
      h("p", { class: "muted" }, `Sign-in by ${auth.flatMap(({ providers }) => providers).join(" and ")}.`),
      found,
    ],
    load,
  };
}

// ---- metrics and the application ----

/** What each metric was at the times it was asked for, so that charts show how it goes on. */
const history = new Map();
/** Points of a chart. */
const chartPoints = 60;

function remember(series) {
  for (const each of series) {
    const key = JSON.stringify([each.name, each.labels]);
    const values = history.get(key) ?? [];
    values.push(each.kind === "counter" ? each.value : each.count);
    if (values.length > chartPoints) values.shift();
    history.set(key, values);
  }
}

/** How much a total has grown from one point to the next. */
function chart(values) {
  const grown = values.slice(1).map((value, i) => Math.max(0, value - values[i]));
  const most = Math.max(1, ...grown);
  const points = grown
    .map((value, i) => `${(i / Math.max(1, chartPoints - 2)) * 100},${29 - (value / most) * 27}`)
    .join(" ");
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 100 30");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  const line = document.createElementNS("http://www.w3.org/2000/svg", "polyline");
  line.setAttribute("points", points);
  svg.append(line);
  return svg;
}

function tile(series) {
  const { name, labels, kind } = series;
  const values = history.get(JSON.stringify([name, labels])) ?? [];
  const label = Object.values(labels).join(" ");
  return h(
    "div",
    { class: "card tile" },
    h("p", { class: "name" }, name),
    label && h("div", { class: "muted mono" }, label),
    h("div", { class: "value" }, number(kind === "counter" ? series.value : series.count)),
    kind === "histogram" &&
      series.count > 0 &&
      h("div", { class: "muted" }, `p50 ${number(series.p50)}, p95 ${number(series.p95)}, p99 ${number(series.p99)}`),
    chart(values),
  );
}

function metrics() {
  const [declared, endpoints, alerts] = [h("div", { class: "tiles" }), h("div", {}), h("div", {})];
  const automatic = new Set(["requests", "request_ms"]);
  async function load() {
    const { series } = await ask("metrics");
    const own = series.filter(({ name }) => !automatic.has(name));
    declared.replaceChildren(
      ...(own.length === 0
        ? [none("The application declares no Counter or Histogram, or none has counted yet.")]
        : own.map(tile)),
    );
    const took = series.filter(({ name, count }) => name === "request_ms" && count > 0);
    const rows = took.map(({ labels, count, p50, p95, p99 }) => {
      const statuses = series.filter(
        (each) => each.name === "requests" && each.labels.route === labels.route && each.value > 0,
      );
      const key = JSON.stringify(["request_ms", labels]);
      return tr(
        td("mono text", labels.route),
        td("number", number(count)),
        td(
          "tight",
          statuses.flatMap((each) => [
            h(
              "span",
              { class: { 5: "bad", 4: "warn" }[each.labels.status[0]] ?? "good" },
              `${each.labels.status} ${number(each.value)}`,
            ),
            " ",
          ]),
        ),
        td("number", ms(p50)),
        td("number", ms(p95)),
        td("number", ms(p99)),
        td("", h("div", { class: "tile-chart" }, chart(history.get(key) ?? []))),
      );
    });
    endpoints.replaceChildren(
      rows.length === 0
        ? none("No request was counted yet.")
        : table(
            "Endpoints",
            [
              "Route",
              ["Requests", "number"],
              "Answers",
              ["p50", "number"],
              ["p95", "number"],
              ["p99", "number"],
              "Lately",
            ],
            rows,
          ),
    );
    const { firing } = await ask("alerts");
    const known = all("alerts");
    alerts.replaceChildren(
      known.length === 0
        ? none("The application declares no Alert.")
        : table(
            "Alerts",
            ["Alert", "State", "When", "Looks", "Tells"],
            known.map((alert) =>
              tr(
                td("tight", alert.name),
                td(
                  "tight",
                  firing.includes(alert.name)
                    ? h("span", { class: "bad" }, "fires")
                    : h("span", { class: "good" }, "quiet"),
                ),
                td("text", alert.if),
                td("tight", `every ${alert.every}, for ${alert.for}`),
                td("tight", alert.notify.join(", ")),
              ),
            ),
          ),
    );
  }
  return {
    nodes: [h("h1", {}, "Metrics"), declared, h("h2", {}, "Endpoints"), endpoints, h("h2", {}, "Alerts"), alerts],
    load,
    every: 2000,
  };
}

function application() {
  if (!model) return { nodes: [h("h1", {}, "Application"), none("The application is being analysed.")] };
  const { graph, svg } = model;
  const picture = h("img", {
    alt: "Services, what they share, and who does what with it; the table below has the services in words",
    src: `data:image/svg+xml,${encodeURIComponent(svg)}`,
  });
  const secrets = all("secrets");
  const row = (service) =>
    tr(
      td("tight", service.name),
      td("tight mono", service.dir),
      td("number", number(service.routes.length)),
      td(
        "text",
        ["entities", "buckets", "queues", "topics", "jobs", "crons", "singletons"]
          .flatMap((kind) => (service[kind] ?? []).map(({ name }) => `${name} (${kind})`))
          .join(", "),
      ),
      td("tight", service.domain ?? ""),
    );
  return {
    nodes: [
      h("h1", {}, "Application"),
      h("div", { class: "card picture", tabIndex: 0, role: "region", ariaLabel: "Architecture" }, picture),
      h("h2", {}, "Services"),
      table("Services", ["Service", "Directory", ["Routes", "number"], "Declares", "Domain"], graph.services.map(row)),
      h("h2", {}, "Secrets"),
      secrets.length === 0
        ? none("The application declares no Secret.")
        : table(
            "Secrets, by name",
            ["Name", "Service", "Where"],
            secrets.map(({ name, owner, at }) => tr(td("mono", name), owner, td("mono", at))),
          ),
      h("h2", {}, "Composite indexes"),
      (graph.indexes ?? []).length === 0
        ? none("No query needs one.")
        : table(
            "Composite indexes",
            ["Entity", "Fields", "Needed by"],
            graph.indexes.map(({ entity, fields, neededBy }) =>
              tr(td("tight", entity), td("mono", fields.join(", ")), td("mono text", neededBy.join(", "))),
            ),
          ),
    ],
  };
}

// ---- the page ----

const sections = {
  requests: ["Requests", requests],
  logs: ["Logs", logs],
  routes: ["Routes", routes],
  data: ["Data", data],
  objects: ["Objects", objects],
  messages: ["Messages", messages],
  schedules: ["Crons and jobs", schedules],
  people: ["People", people],
  metrics: ["Metrics", metrics],
  application: ["Application", application],
};
const counts = {};
let current;

function paintCounts() {
  for (const [id, count] of Object.entries(counts)) {
    const node = document.querySelector(`#sections a[href="#${id}"] .count`);
    node.textContent = count > 0 ? String(count) : "";
    node.title = count > 0 ? { logs: "errors", messages: "dead messages" }[id] : "";
  }
}

function show() {
  const id = Object.hasOwn(sections, location.hash.slice(1)) ? location.hash.slice(1) : "requests";
  const [title, make] = sections[id];
  clearInterval(current?.timer);
  current = make();
  main.replaceChildren(...current.nodes);
  main.scrollTop = 0;
  document.title = `${title} · ${model?.graph.app ?? "Console"}`;
  for (const link of document.querySelectorAll("#sections a")) {
    if (link.getAttribute("href") === `#${id}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (current.load) {
    const load = () => current.load().catch((error) => say(error.message));
    void load();
    if (current.every) current.timer = setInterval(() => document.hidden || load(), current.every);
  }
}

async function poll() {
  try {
    const fresh = await ask("events", { after: last });
    if (!connected) say("The application answers again.");
    connected = true;
    last = fresh.last;
    if (fresh.events.length === 0) return;
    for (const event of fresh.events) events.push(event);
    if (events.length > keptEvents) events.splice(0, events.length - keptEvents);
    counts.logs = events.reduce((count, event) => count + (event.severity === "ERROR" ? 1 : 0), 0);
    paintCounts();
    current?.added?.(fresh.events);
  } catch (error) {
    if (connected) say(error instanceof TypeError ? "The server does not answer." : error.message);
    connected = false;
  }
}

let modelText = "";
async function refreshModel() {
  const next = await ask("model").catch(() => undefined);
  if (!next) return;
  const text = JSON.stringify(next);
  if (text === modelText) return;
  const first = modelText === "";
  modelText = text;
  model = next;
  document.getElementById("app").textContent = model.graph.app;
  // What somebody is typing stays.
  if (first || !main.contains(document.activeElement) || document.activeElement === main) show();
}

async function sample() {
  const counted = await ask("metrics").catch(() => undefined);
  if (counted) remember(counted.series);
}

document
  .getElementById("sections")
  .append(
    ...Object.entries(sections).map(([id, [title]]) =>
      h("li", {}, h("a", { href: `#${id}` }, title, h("span", { class: "count" }))),
    ),
  );
document.querySelector(".skip").addEventListener("click", (event) => (event.preventDefault(), main.focus()));
addEventListener("hashchange", () => (show(), main.focus()));
await Promise.all([refreshModel(), poll(), sample()]);
if (!current) show();

/** Asks again and again, one at a time, while somebody looks. */
async function keep(work, pause) {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    if (!document.hidden) await work();
  }
}
void keep(poll, 700);
void keep(refreshModel, 3000);
void keep(sample, 2000);
