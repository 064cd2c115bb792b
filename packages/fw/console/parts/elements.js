/** Creates an element. String children become text nodes, never markup. */
export function h(tag, properties = {}, ...children) {
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

export function field(label, input, attributes = {}) {
  return h("label", attributes, label, input);
}

/**
 * Creates a table. A head is a string, or a pair of its content (a string or a button) and its class. An empty head
 * marks the column of actions.
 */
export function table(caption, heads, rows) {
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

/** Stacks the cells of each row in narrow layouts, without heads, for tables whose cells are self-explanatory. */
export function stacked(table) {
  table.classList.add("stacked");
  return table;
}

/** In narrow layouts, puts the text of each row on its own line, and the other cells together on the next one. */
export function inLines(table) {
  table.classList.add("lines");
  return table;
}

/** Creates a stacked table whose cells start with the head of their column in narrow layouts. */
export function labelledTable(caption, heads, rows) {
  const node = stacked(table(caption, heads, rows));
  const labels = heads.map((head) => (typeof head === "string" ? head : (head[0].textContent ?? head[0])));
  const label = () => {
    for (const row of node.rows.children)
      for (const [i, cell] of [...row.children].entries()) if (labels[i]) cell.dataset.label = labels[i];
  };
  new MutationObserver(label).observe(node.rows, { childList: true });
  label();
  return node;
}

/**
 * Replaces the children of a node. Keeps the focus on the control with the same name in the same row, which is
 * identified by the key of `keyed`, or else by its first cell.
 */
export function renew(node, ...children) {
  const focused = node.contains(document.activeElement) ? document.activeElement : undefined;
  const address = focused && addressOf(focused);
  node.replaceChildren(...children);
  if (focused === undefined || focused.isConnected) return;
  const controls = [...node.querySelectorAll("button, a, input, select, textarea, summary, [tabindex]")];
  controls.find((each) => addressOf(each) === address)?.focus({ preventScroll: true });
}

function addressOf(control) {
  const row = control.closest("tr");
  return JSON.stringify([
    row?.dataset.key ?? row?.cells[0]?.textContent,
    control.tagName,
    control.ariaLabel ?? control.textContent,
  ]);
}

/** Gives a row a key that identifies it after its table is reloaded. */
export function keyed(key, row) {
  row.dataset.key = key;
  return row;
}

export function tr(...cells) {
  return h(
    "tr",
    {},
    cells.map((cell) => (cell instanceof Node && cell.tagName === "TD" ? cell : h("td", {}, cell ?? ""))),
  );
}

export function td(className, ...children) {
  return h("td", { class: className }, children);
}

export function none(...sentence) {
  return h("p", { class: "none" }, ...sentence);
}

/**
 * Creates a note that the application has no declaration of some kinds, with the command that explains the first one.
 */
export function undeclared(...kinds) {
  const names = [kinds.slice(0, -1).join(", "), kinds.at(-1)].filter(Boolean).join(" or ");
  return none(
    `The application declares no ${names}: see `,
    h("code", {}, `npx --no fw docs ${kinds[0].toLowerCase()}`),
    ".",
  );
}
