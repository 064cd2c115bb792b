import { ask } from "../parts/ask.js";
import { h, none, table, td, tr } from "../parts/elements.js";
import { dateTime } from "../parts/format.js";
import { declared } from "../parts/live.js";

/** The section with the mails that the application has sent since the dev server started. */
export function mails() {
  if (declared("mails").length === 0)
    return { nodes: [h("h1", {}, "Mails"), none("The application declares no Mail.")] };
  const list = h("div", {});
  const shown = h("section", { ariaLive: "polite" });

  async function load() {
    const sent = await ask("mails");
    const key = sent.map(({ id }) => id).join(" ");
    if (list.dataset.key === key) return;
    list.dataset.key = key;
    list.replaceChildren(
      sent.length === 0
        ? none("No mail was sent since the server started.")
        : table(
            "Sent mails, newest first",
            ["Sent", "To", "Subject", "Mail"],
            sent.map((mail) =>
              tr(
                td("tight", dateTime({ $date: mail.at })),
                td("text", addressText(mail.to)),
                h("button", { class: "link", onclick: () => shown.replaceChildren(...detail(mail)) }, mail.subject),
                td("tight", mail.mail),
              ),
            ),
          ),
    );
  }

  return { nodes: [h("h1", {}, "Mails"), list, shown], load, every: 2000 };
}

function addressText({ name, address }) {
  return name === "" ? address : `${name} <${address}>`;
}

/** The document of a mail in a frame without scripts, its text, and its links, which the frame cannot open. */
function detail({ id, subject, text, to }) {
  const links = [...new Set(text.match(/https?:\/\/[^\s<>"]+/g) ?? [])];
  const linkItems = links.map((url) => h("li", {}, h("a", { href: url, target: "_blank", rel: "noreferrer" }, url)));
  return [
    h("h2", {}, subject),
    h("p", {}, `To ${addressText(to)}`),
    h("iframe", { class: "mail card", title: `The mail "${subject}"`, src: `/_fw/console/mails/${id}`, sandbox: "" }),
    h("h3", {}, "Text"),
    h("pre", { tabIndex: 0 }, text),
    ...(links.length > 0 ? [h("h3", {}, "Links"), h("ul", { class: "links" }, linkItems)] : []),
  ];
}
