import { act } from "../parts/act.js";
import { ask } from "../parts/ask.js";
import { sentHeaders } from "../parts/curl.js";
import { field, h } from "../parts/elements.js";
import { credentialInputs, filledHeaders, identityFields, responseNodes } from "./call-form.js";

/** Creates a form that sends a recorded request again, optionally changed, as another user or anonymously. */
export function replayForm({ method, user }, { target, requestHeaders, requestBody }) {
  const path = h("input", { value: target, class: "mono", required: true });
  const headers = h("textarea", {
    value: sentHeaders(requestHeaders)
      .map(([name, value]) => `${name}: ${value}`)
      .join("\n"),
    rows: 4,
    spellcheck: false,
  });
  const body = h("textarea", { value: requestBody.text ?? "", rows: 4, spellcheck: false });
  const credentials = credentialInputs({ fields: [] });
  const identity = identityFields(credentials, user);
  const result = h("section", { ariaLive: "polite", ariaLabel: "Response" });
  const send = act(async () => {
    const request = {
      method,
      path: path.value,
      headers: [...headerLines(headers.value), ...filledHeaders(credentials)],
      ...(body.value !== "" && { body: body.value }),
    };
    result.replaceChildren(...responseNodes(await ask("call", { ...request, ...identity.read() })));
  });
  return h(
    "form",
    { onsubmit: send },
    field("Path and query", path),
    field("Headers, one per line", headers),
    method !== "GET" && method !== "HEAD" && field("Body", body),
    identity.node,
    h("button", { class: "primary" }, "Send again"),
    result,
  );
}

function headerLines(text) {
  return text
    .split("\n")
    .filter((line) => line.includes(":"))
    .map((line) => ({
      name: line.slice(0, line.indexOf(":")).trim(),
      value: line.slice(line.indexOf(":") + 1).trim(),
    }));
}
