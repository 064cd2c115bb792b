import { ask } from "../parts/ask.js";
import { field, h, none } from "../parts/elements.js";
import { latestOnly } from "../parts/latest.js";
import { sectionLink } from "../parts/links.js";

/** The maximum number of characters of a document in the list of results. */
const summaryCharacters = 100;

/** Creates an input for the id of a document that a field refers to, with a link to the document and a search. */
export function referenceInput({ value, entity, context: { tenantOf } }) {
  const input = h("input", { class: "mono", autocomplete: "off", spellcheck: false, value: value ?? "" });
  const link = h("a", { target: "_blank", rel: "noopener" }, `Open the ${entity} document in a new tab`);
  const showLink = () => {
    const tenant = tenantOf(entity);
    link.hidden = input.value === "";
    link.href = sectionLink("data", { entity, id: (tenant ? `${tenant}/` : "") + input.value });
  };
  input.addEventListener("input", showLink);
  showLink();
  const search = documentSearch(entity, tenantOf, (id) => {
    input.value = id;
    showLink();
    input.focus();
  });
  const read = () => (input.value === "" && value === undefined ? undefined : input.value.trim());
  return { node: h("div", { class: "reference" }, input, link, search), input, read };
}

/** Creates a folded search for documents of an entity. Calls `choose` with the id of the chosen document. */
function documentSearch(entity, tenantOf, choose) {
  const text = h("input", { type: "search", autocomplete: "off" });
  const results = h("div", { ariaLive: "polite" });
  const begin = latestOnly();
  const details = h("details", {}, h("summary", {}, `Search ${entity}`), field(`Words in ${entity}`, text), results);

  async function show() {
    const isLatest = begin();
    const tenant = tenantOf(entity);
    const query = { kind: entity, text: text.value.trim(), ...(tenant !== undefined && { tenant }) };
    const nodes = await ask("documents/search", query).then(
      (answer) => resultNodes(answer, pick),
      (error) => [h("p", { class: "bad" }, error.message)],
    );
    if (isLatest()) results.replaceChildren(...nodes);
  }
  function pick(id) {
    details.open = false;
    choose(id);
  }
  text.addEventListener("input", show);
  text.addEventListener("keydown", (event) => {
    // Enter would submit the form around the search.
    if (event.key === "Enter") event.preventDefault();
  });
  details.addEventListener("toggle", () => details.open && (text.focus(), show()));
  return details;
}

function resultNodes({ documents, isPartial }, pick) {
  const rows = documents.map(({ id, summary }) =>
    h(
      "li",
      {},
      h("button", { type: "button", class: "link mono", onclick: () => pick(id) }, id),
      " ",
      h("span", { class: "muted" }, summary.slice(0, summaryCharacters)),
    ),
  );
  return [
    rows.length === 0 ? none("No document contains these words.") : h("ul", { class: "links" }, rows),
    ...(isPartial ? [none("There are more documents. Enter more words, or an id.")] : []),
  ];
}
