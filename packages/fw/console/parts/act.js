const said = document.getElementById("said");

let timer;
export function say(sentence) {
  said.textContent = sentence;
  clearTimeout(timer);
  timer = setTimeout(() => (said.textContent = ""), 6000);
}

/** Does what somebody has asked for by a button, and says how it went. */
export function act(work, done) {
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
export function sure(sentence) {
  if (!confirm(sentence)) throw new Error("Nothing was changed.");
}
