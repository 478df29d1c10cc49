// Search of the documentation. It reads its index from a script, because pages on disk may not fetch files.
"use strict";

const MOST_SHOWN = 50;
const CONTEXT = 120;

function findEntries(entries, words) {
  const found = [];
  for (const entry of entries) {
    const title = entry.title.toLowerCase();
    const text = entry.text.toLowerCase();
    if (!words.every(word => title.includes(word) || text.includes(word))) continue;
    const inTitle = words.filter(word => title.includes(word)).length;
    found.push({ entry, rank: (title === words.join(" ") ? 100 : 0) + 10 * inTitle + (entry.location.includes("#") ? 0 : 1) });
  }
  return found.sort((one, other) => other.rank - one.rank).map(hit => hit.entry);
}

function quote(whole, words) {
  const text = whole.replace(/ #(?= |$)/g, ""); // the mark of a heading
  const at = Math.max(0, Math.min(...words.map(word => text.toLowerCase().indexOf(word)).filter(place => place >= 0), text.length));
  const start = at === text.length ? 0 : Math.max(0, at - CONTEXT);
  const end = Math.min(text.length, start + 3 * CONTEXT);
  return (start ? "… " : "") + text.slice(start, end) + (end < text.length ? " …" : "");
}

function show(place, query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = words.length ? findEntries(window.searchIndex.docs, words) : [];
  const summary = document.createElement("p");
  summary.textContent = !words.length ? "Type a word." : found.length === 1 ? "1 place found." : `${found.length} places found.`;
  place.replaceChildren(summary, ...found.slice(0, MOST_SHOWN).map(entry => {
    const article = document.createElement("article");
    const heading = article.appendChild(document.createElement("h3"));
    const link = heading.appendChild(document.createElement("a"));
    link.href = entry.location;
    link.textContent = entry.title;
    article.appendChild(document.createElement("p")).textContent = quote(entry.text, words);
    return article;
  }));
}

const place = document.getElementById("properdocs-search-results");
if (place) {
  const input = document.getElementById("properdocs-search-query");
  input.value = new URLSearchParams(window.location.search).get("q") || "";
  const index = document.createElement("script");
  index.src = "search/search_index.js";
  index.onload = () => {
    show(place, input.value);
    input.addEventListener("input", () => show(place, input.value));
  };
  document.head.appendChild(index);
}
