// Controls for objects, lists and maps, each a group of controls that `control` creates.

import { h } from "../parts/elements.js";
import { joinPath } from "./schema.js";

export const groups = { object: objectGroup, array: listGroup, record: mapGroup };

/** Creates the controls of an object's fields, and of members that its type does not declare. */
function objectGroup({ schema: { fields }, value: members, path, depth, context, control }) {
  const value = members ?? {};
  const controls = fields
    .filter(({ name, schema }) => schema.kind !== "never" || Object.hasOwn(value, name))
    .map(({ name, schema, optional, doc }) => ({
      name,
      ...control({
        schema,
        isOptional: optional,
        isNew: members === undefined,
        doc,
        value: Object.hasOwn(value, name) ? value[name] : undefined,
        label: name,
        path: () => joinPath(path(), name),
        depth: depth + 1,
        entity: depth === 0 ? context.references.get(name) : undefined,
        context,
      }),
    }));
  const names = new Set(controls.map(({ name }) => name));
  const others = h("div", {});
  for (const name of Object.keys(value).filter((each) => !names.has(each))) {
    const other = control({
      schema: { kind: "json" },
      value: value[name],
      label: name,
      doc: "not a field of the type",
      path: () => joinPath(path(), name),
      depth: depth + 1,
      context,
    });
    const remove = () => {
      controls.splice(controls.indexOf(entry), 1);
      row.remove();
    };
    const row = h("div", { class: "item" }, other.node, removeButton(name, remove));
    const entry = { name, ...other };
    controls.push(entry);
    others.append(row);
  }
  const nodes = fields.flatMap(({ name }) => controls.find((each) => each.name === name)?.node ?? []);
  return {
    node: h("div", { class: "group" }, nodes, others),
    parts: () => controls,
    read: (problems) => {
      const entries = controls.map((each) => [each.name, each.read(problems)]);
      const present = new Map(entries.filter(([, member]) => member !== undefined));
      // Keeps the order of the members that the object had.
      const order = [...Object.keys(value).filter((name) => present.has(name)), ...present.keys()];
      return Object.fromEntries([...new Set(order)].map((name) => [name, present.get(name)]));
    },
  };
}

function removeButton(label, onclick) {
  return h("button", { type: "button", onclick, ariaLabel: `Remove ${label}` }, "Remove");
}

/** Creates the controls of a list's items, with buttons that add, move and remove one. */
function listGroup({ schema: { items }, value = [], label, path, depth, entity, context, control }) {
  const rows = [];
  const list = h("div", { class: "items" });
  const titleOf = (row) => `${label} ${rows.indexOf(row) + 1}`;

  function add(item) {
    const row = {};
    rows.push(row);
    row.control = control({
      schema: items,
      value: item,
      isNew: true,
      label: titleOf(row),
      path: () => joinPath(path(), rows.indexOf(row)),
      depth: depth + 1,
      entity,
      context,
    });
    row.up = h("button", { type: "button", onclick: () => moveUp(row) }, "Up");
    row.remove = removeButton(titleOf(row), () => remove(row));
    row.node = h("div", { class: "item" }, row.control.node, h("span", { class: "row" }, row.up, row.remove));
    list.append(row.node);
    return row;
  }
  function remove(row) {
    const index = rows.indexOf(row);
    rows.splice(index, 1);
    row.node.remove();
    relabel();
    (rows[Math.min(index, rows.length - 1)]?.remove ?? addButton).focus();
  }
  function moveUp(row) {
    const index = rows.indexOf(row);
    rows.splice(index - 1, 2, row, rows[index - 1]);
    list.replaceChildren(...rows.map(({ node }) => node));
    relabel();
    (row.up.hidden ? row.remove : row.up).focus();
  }
  /** Numbers the items again. */
  function relabel() {
    for (const row of rows) {
      row.control.setLabel(titleOf(row));
      row.up.hidden = rows[0] === row;
      row.up.ariaLabel = `Move ${titleOf(row)} up`;
      row.remove.ariaLabel = `Remove ${titleOf(row)}`;
    }
  }
  const addNew = () => {
    const row = add(undefined);
    relabel();
    row.control.focus();
  };
  const addButton = h("button", { type: "button", onclick: addNew, ariaLabel: `Add to ${label}` }, "Add");
  for (const item of value) add(item);
  relabel();
  return {
    node: h("div", { class: "group" }, list, h("p", {}, addButton)),
    target: addButton,
    parts: () => rows.map((row) => row.control),
    read: (problems) => rows.map((row) => row.control.read(problems) ?? null),
  };
}

/** Creates the keys and values of a map, with buttons that add and remove one. */
function mapGroup({ schema: { values }, value = {}, label, path, depth, context, control }) {
  const rows = [];
  const list = h("div", { class: "items" });

  function add(name, member) {
    const key = h("input", { class: "mono", value: name, autocomplete: "off", spellcheck: false });
    const row = { key };
    row.control = control({
      schema: values,
      value: member,
      isNew: true,
      label: "value",
      path: () => joinPath(path(), key.value),
      depth: depth + 1,
      context,
    });
    const remove = () => {
      rows.splice(rows.indexOf(row), 1);
      row.node.remove();
      addButton.focus();
    };
    row.node = h(
      "div",
      { class: "item", role: "group", ariaLabel: `${label}, entry` },
      h("label", {}, "key", key),
      row.control.node,
      removeButton(`this entry of ${label}`, remove),
    );
    rows.push(row);
    list.append(row.node);
    return row;
  }
  const addButton = h(
    "button",
    { type: "button", onclick: () => add("", undefined).key.focus(), ariaLabel: `Add to ${label}` },
    "Add",
  );
  for (const [name, member] of Object.entries(value)) add(name, member);
  return {
    node: h("div", { class: "group" }, list, h("p", {}, addButton)),
    target: addButton,
    parts: () => rows.map((row) => row.control),
    read: (problems) => {
      const names = rows.map(({ key }) => key.value);
      const twice = names.find((name, i) => names.indexOf(name) !== i);
      if (twice !== undefined)
        problems.push({ at: path(), problem: `two entries have the key ${JSON.stringify(twice)}` });
      return Object.fromEntries(rows.map(({ key, control: each }) => [key.value, each.read(problems) ?? null]));
    },
  };
}
