import { ask } from "../parts/ask.js";
import { act } from "../parts/act.js";
import { field, h, labelledTable, none, td, tr, undeclared } from "../parts/elements.js";
import { dateTime } from "../parts/format.js";
import { declared, model } from "../parts/live.js";

/** Creates the section with previews of all mails, and the mails that were sent since the dev server started. */
export function mails() {
  if (declared("mails").length === 0) return { nodes: [h("h1", {}, "Mails"), undeclared("Mail")] };
  const preview = h("section", { ariaLabel: "Preview" });
  const open = (name) => act(async () => preview.replaceChildren(...(await previewNodes(name))));
  const names = declared("mails").map(({ name }) => name);
  const openers = [...new Set(names)].map((name) =>
    h("li", {}, h("button", { class: "link", onclick: open(name) }, name)),
  );
  const list = h("div", {});
  const shown = h("section", { ariaLive: "polite" });

  async function load() {
    const sent = await ask("mails");
    const key = sent.map(({ id }) => id).join(" ");
    if (list.dataset.key === key) return;
    list.dataset.key = key;
    list.replaceChildren(
      sent.length === 0
        ? none("No mail has been sent since the server started.")
        : labelledTable(
            "Sent mails, newest first",
            ["Sent", "To", "Subject", "Mail"],
            sent.map((mail) =>
              tr(
                td("tight", dateTime({ $date: mail.at })),
                td("text", addressText(mail.to)),
                td(
                  "text",
                  h("button", { class: "link", onclick: () => shown.replaceChildren(...detail(mail)) }, mail.subject),
                ),
                mail.mail,
              ),
            ),
          ),
    );
  }

  const previews = [h("h2", {}, "Previews"), h("ul", { class: "links" }, openers), preview];
  return { nodes: [h("h1", {}, "Mails"), ...previews, h("h2", {}, "Sent mails"), list, shown], load, every: 2000 };
}

/** Creates a preview of a mail with sample data, and a form that renders it with other data or in another language. */
async function previewNodes(name) {
  const first = await ask("mails/preview", { name });
  const { languages = [] } = model;
  const data = h("textarea", { class: "mono", rows: 8, spellcheck: false, value: first.json });
  const language = h(
    "select",
    {},
    ["", ...languages].map((each) => h("option", { value: each }, each || "the browser's")),
  );
  const result = h("div", { ariaLive: "polite" }, previewResult(first));
  const render = act(async () => {
    const input = first.isEditable ? { name, json: data.value } : { name };
    result.replaceChildren(...previewResult(await ask("mails/preview", input, language.value || undefined)));
  });
  return [
    h("h3", {}, name),
    h(
      "form",
      { onsubmit: render },
      first.isEditable && field("Data", data),
      languages.length > 1 && field("Language", language),
      h("button", { class: "primary" }, "Render"),
    ),
    result,
  ];
}

function previewResult({ problems, mail }) {
  if (mail === undefined)
    return [
      h(
        "ul",
        { class: "bad", ariaLabel: "Problems" },
        problems.map((problem) => h("li", {}, problem)),
      ),
    ];
  return detail(mail);
}

function addressText({ name, address }) {
  return name === "" ? address : `${name} <${address}>`;
}

/**
 * Creates a view of a mail: its document in a frame without scripts, its text, and its links, which the frame cannot
 * open.
 */
function detail({ id, subject, text, to }) {
  const links = [...new Set(text.match(/https?:\/\/[^\s<>"]+/g) ?? [])];
  const linkItems = links.map((url) => h("li", {}, h("a", { href: url, target: "_blank", rel: "noreferrer" }, url)));
  return [
    h("h3", {}, subject),
    to && h("p", {}, `To ${addressText(to)}`),
    h("iframe", { class: "mail card", title: `The mail "${subject}"`, src: `/_fw/console/mails/${id}`, sandbox: "" }),
    h("h3", {}, "Text"),
    h("pre", { tabIndex: 0 }, text),
    ...(links.length > 0 ? [h("h3", {}, "Links"), h("ul", { class: "links" }, linkItems)] : []),
  ].filter(Boolean);
}
