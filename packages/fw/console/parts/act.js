const status = document.getElementById("status");

let timer;
export function say(sentence) {
  status.textContent = sentence;
  clearTimeout(timer);
  timer = setTimeout(() => (status.textContent = ""), 6000);
}

/** An event handler that runs `work`, disables its button meanwhile and reports the result. */
export function act(work, done) {
  return async (event) => {
    event?.preventDefault();
    const button = event?.submitter ?? (event?.type === "click" ? event.currentTarget : undefined);
    if (button) button.disabled = true;
    try {
      const result = await work();
      if (done) say(typeof done === "function" ? done(result) : done);
    } catch (error) {
      say(error.message);
    } finally {
      if (button) button.disabled = false;
    }
  };
}

/** Throws unless the user confirms an action that cannot be undone. */
export function confirmAction(sentence) {
  if (!confirm(sentence)) throw new Error("Canceled.");
}
