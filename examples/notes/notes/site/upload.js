// Uploads the file of a form[data-upload] directly to the object store: the page requests a signed URL, then the
// browser uploads to it. Without this script, the same form posts the file to the application.
document.addEventListener("submit", (event) => {
  if (!event.target.dataset?.upload) return;
  event.preventDefault();
  void upload(event.target);
});

async function upload(form) {
  const [button, progress, problem] = ["button", "progress", ".problem"].map((part) => form.querySelector(part));
  const file = form.elements.file.files[0];
  button.disabled = true;
  problem.hidden = true;
  progress.hidden = false;
  try {
    await put(file, await signedURL(form.dataset.upload, file), (part) => (progress.value = part));
    form.reset();
    document.body.dispatchEvent(new Event("uploaded"));
  } catch (error) {
    problem.textContent = error.message;
    problem.hidden = false;
  }
  progress.hidden = true;
  progress.value = 0;
  button.disabled = false;
}

async function signedURL(address, { name, type }) {
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(address, { method: "POST", headers, body: JSON.stringify({ name, type }) });
  if (!answer.ok) throw new Error(sentenceOf(await answer.text()));
  return answer.json();
}

// Uses XMLHttpRequest, because fetch does not report upload progress.
function put(file, { url, headers }, onProgress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("PUT", url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.addEventListener("progress", ({ loaded, total }) => onProgress(loaded / total));
    request.addEventListener("load", () => {
      if (request.status < 300) resolve();
      else reject(new Error(sentenceOf(request.responseText)));
    });
    request.addEventListener("error", () => reject(new Error("The connection broke off. Try again.")));
    request.send(file);
  });
}

function sentenceOf(text) {
  try {
    const { error } = JSON.parse(text);
    return `${error.charAt(0).toUpperCase()}${error.slice(1)}.`;
  } catch {
    return "That did not work. Try again.";
  }
}
