"use strict";

/* Live parts of the pages. Every page also works without this script. */

const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/* Progress of a run, until it is over. */
async function follow(place) {
  for (;;) {
    await wait(500);
    try {
      const answer = await fetch(place.dataset.poll, { headers: { accept: "text/html" } });
      if (answer.status !== 200) { break; }
      const text = await answer.text();
      if (text !== place.dataset.shown) { place.innerHTML = text; place.dataset.shown = text; }
    } catch { place.setAttribute("aria-busy", "true"); await wait(1500); }
  }
  location.reload();
}

/* Files in folders that are dropped. */
async function* walk(entry) {
  if (entry.isFile) { yield await new Promise((done, fail) => entry.file(done, fail)); return; }
  const reader = entry.createReader();
  for (;;) {
    const entries = await new Promise((done, fail) => reader.readEntries(done, fail));
    if (!entries.length) { return; }
    for (const inner of entries) { yield* walk(inner); }
  }
}

/* Files that are dragged onto a form, and the size of an upload before it is sent. */
function prepareDrop(form) {
  const inputs = [...form.querySelectorAll("input[type=file]")], chosen = form.querySelector(".chosen");
  const limit = Number(form.dataset.limit), button = form.querySelector("button");
  const show = () => {
    const files = inputs.flatMap((input) => [...input.files]), size = files.reduce((sum, file) => sum + file.size, 0);
    chosen.hidden = !files.length;
    chosen.textContent = `${files.length} ${files.length === 1 ? "file" : "files"}: ${files.slice(0, 5).map((file) => file.name).join(", ")}${files.length > 5 ? ", …" : ""}`;
    button.disabled = size > limit;
    if (size > limit) { chosen.textContent += ". Together they are too large for one upload."; chosen.setAttribute("role", "alert"); }
  };
  inputs.forEach((input) => input.addEventListener("change", show));
  for (const kind of ["dragenter", "dragover"]) {
    form.addEventListener(kind, (event) => { event.preventDefault(); form.classList.add("is-over"); });
  }
  for (const kind of ["dragleave", "drop"]) { form.addEventListener(kind, () => form.classList.remove("is-over")); }
  form.addEventListener("drop", async (event) => {
    event.preventDefault();
    const dropped = event.dataTransfer.files, last = inputs[inputs.length - 1];
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry()).filter(Boolean);
    if (inputs.length > 1 && entries.some((entry) => entry.isDirectory)) {
      const all = new DataTransfer();
      for (const entry of entries) { for await (const file of walk(entry)) { all.items.add(file); } }
      last.files = all.files;
    } else if (dropped.length) { inputs[0].files = dropped; }
    show();
  });
}

/* Findings of a form while it is filled in: the answer replaces the parts of the page that it names. */
function prepareTrial(form) {
  let number = 0, timer = 0;
  const attempt = async () => {
    const mine = ++number;
    const answer = await fetch(form.dataset.trial, { method: "POST", body: new URLSearchParams(new FormData(form)) });
    if (!answer.ok || mine !== number) { return; }
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const part of page.querySelectorAll("[data-part]")) {
      const place = document.getElementById(part.dataset.part);
      if (place && place.innerHTML !== part.innerHTML && !place.contains(document.activeElement)) { place.innerHTML = part.innerHTML; }
    }
  };
  form.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(() => attempt().catch(() => {}), 120); });
}

/* A change that is not saved yet: the browser warns before the page is left. */
function warnOfUnsaved(form) {
  let changed = form.dataset.unsaved === "yes";
  form.addEventListener("input", () => { changed = true; });
  form.addEventListener("submit", () => { changed = false; });
  addEventListener("beforeunload", (event) => { if (changed) { event.preventDefault(); } });
}

document.querySelectorAll("[data-poll]").forEach((place) => { follow(place); });
document.querySelectorAll("form.drop").forEach(prepareDrop);
document.querySelectorAll("form[data-trial]").forEach(prepareTrial);
document.querySelectorAll("form[data-keep]").forEach(warnOfUnsaved);
