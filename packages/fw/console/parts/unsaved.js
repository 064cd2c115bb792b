// The question before the page discards changes that the user has not saved.

const clean = () => false;
let isDirty = clean;

/** Makes the page ask before it discards changes if `check` returns true. */
export function guardChanges(check) {
  isDirty = check;
}

/** Lets the page discard everything, after the changes have been saved. */
export function forgetChanges() {
  isDirty = clean;
}

export function hasChanges() {
  return isDirty();
}

/** True if there are no changes, or the user discards them. */
export function mayLeave() {
  if (isDirty() && !confirm("Discard the changes that you have not saved?")) return false;
  forgetChanges();
  return true;
}

addEventListener("beforeunload", (event) => {
  if (isDirty()) event.preventDefault();
});
