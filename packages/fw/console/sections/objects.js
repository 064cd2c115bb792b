import { act, confirmAction } from "../parts/act.js";
import { ask } from "../parts/ask.js";
import { field, h, labelledTable, none, td, tr, undeclared } from "../parts/elements.js";
import { bytes, dateTime } from "../parts/format.js";
import { latestOnly } from "../parts/latest.js";
import { declared } from "../parts/live.js";

/** Creates the section that lists the objects of buckets. */
export function objects() {
  const buckets = declared("buckets");
  if (buckets.length === 0) return { nodes: [h("h1", {}, "Objects"), undeclared("Bucket")] };
  const bucket = h(
    "select",
    { onchange: () => load() },
    buckets.map(({ name }) => h("option", {}, name)),
  );
  const prefix = h("input", { placeholder: "all keys" });
  const results = h("div", {});

  const begin = latestOnly();

  async function load(after) {
    const isLatest = begin();
    try {
      const { objects: rows, next } = await ask("objects", { bucket: bucket.value, prefix: prefix.value, after });
      if (!isLatest()) return;
      const list = labelledTable(
        `Objects of ${bucket.value}`,
        ["Key", "Type", ["Size", "number"], "Updated", ""],
        rows.map((object) => objectRow(bucket.value, object, load)),
      );
      results.replaceChildren(
        rows.length === 0 ? none(prefix.value === "" ? "The bucket is empty." : "No key has this prefix.") : list,
      );
      if (next) results.append(h("p", {}, h("button", { onclick: () => load(next) }, "Next page")));
    } catch (error) {
      results.replaceChildren(h("p", { class: "bad" }, error.message));
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
        field("Key prefix", prefix, { class: "wide" }),
        h("button", { class: "primary" }, "Find"),
      ),
      results,
    ],
  };
}

function objectRow(bucket, { key, size, contentType, updated }, reload) {
  const download = act(async () => {
    const { base64 } = await ask("objects/read", { bucket, key });
    const content = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    // Downloaded, never displayed: an uploaded page must not run in the console's origin.
    const url = URL.createObjectURL(new Blob([content], { type: "application/octet-stream" }));
    h("a", { href: url, download: key.split("/").at(-1) }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  });
  const remove = act(async () => {
    confirmAction(`Delete object ${key}?`);
    await ask("objects/delete", { bucket, key });
    await reload();
  }, "Deleted.");
  return tr(
    td("text mono", key),
    contentType,
    td("number", bytes(size)),
    td("tight", dateTime(updated)),
    td(
      "tight",
      h(
        "span",
        { class: "row" },
        h("button", { onclick: download }, "Download"),
        h("button", { class: "danger", onclick: remove }, "Delete"),
      ),
    ),
  );
}
