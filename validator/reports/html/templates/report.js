(function () {
  "use strict";
  var ROWS = 50;      // findings written out at once
  var BUNCHES = 200;  // groups written out at once
  var PRINTED = 20000; // rows of a printed schedule
  var PICKS = ["requirement", "status", "state", "casino", "table", "seat", "day", "dealer", "shift", "pit"];
  var CODED = ["requirement", "document", "status", "severity", "state", "message", "remedy", "clauses", "reading",
    "waived", "claimed", "casino", "table", "day", "player", "wager", "pointer", "submission", "context", "file",
    "currency"];
  var PLAIN = ["expected", "observed", "round", "clock", "id"];
  var NUMBERS = ["line", "column", "seat", "event", "count", "owed", "overpaid"];
  var SIGNS = {USD: "$", EUR: "€", GBP: "£"};
  var LABELS = ["casino", "table", "round", "seat", "player", "wager", "day", "event"];

  var byId = function (id) { return document.getElementById(id); };
  var tools = byId("tools");
  var held = byId("findings-data");
  if (!tools || !held) { return; }

  var about = null;   // the first line of the data
  var texts = [];     // texts by number
  var columns = {};   // columns of all findings
  var rows = 0;

  // The data, unpacked

  function bytes(base64) {
    var packed = atob(base64);
    var found = new Uint8Array(packed.length);
    for (var at = 0; at < packed.length; at++) { found[at] = packed.charCodeAt(at); }
    return found;
  }

  // Numbers of texts are -1, and all else null, where there is nothing.
  function take(line) {
    var block = JSON.parse(line), at;
    if (!about) {
      about = block;
      CODED.forEach(function (name) { columns[name] = new Int32Array(about.total).fill(-1); });
      PLAIN.concat(NUMBERS).forEach(function (name) { columns[name] = new Array(about.total).fill(null); });
      return;
    }
    for (at = 0; at < block.texts.length; at++) { texts.push(block.texts[at]); }
    Object.keys(block.columns).forEach(function (name) {
      var from = block.columns[name], to = columns[name], before = 0;
      var coded = CODED.indexOf(name) >= 0, plain = PLAIN.indexOf(name) >= 0;
      for (var row = 0; row < block.rows; row++) {
        var value = from[row];
        if (value === null) { if (plain) { before = null; } continue; }
        if (plain && value === 0) { value = before; } else if (name === "line") { value += before; }
        if (!coded) { before = value; }
        to[rows + row] = value;
      }
    });
    rows += block.rows;
  }

  function unpack() {
    var inflated = new Blob([bytes(held.textContent)]).stream().pipeThrough(new DecompressionStream("deflate"));
    var reader = inflated.getReader(), decoder = new TextDecoder(), rest = "";
    function next(part) {
      rest += part.done ? decoder.decode() : decoder.decode(part.value, {stream: true});
      var lines = rest.split("\n");
      rest = lines.pop();
      lines.forEach(take);
      return part.done ? null : reader.read().then(next);
    }
    return reader.read().then(next);
  }

  // What a finding is filed under

  function text(name, row) { var code = columns[name][row]; return code < 0 ? null : texts[code]; }

  var told = new Map();
  function context(row) {
    var code = columns.context[row];
    if (code < 0) { return []; }
    if (!told.has(code)) {
      var parts = texts[code].split("\n"), pairs = [];
      for (var at = 0; at + 1 < parts.length; at += 2) { pairs.push([parts[at], parts[at + 1]]); }
      told.set(code, pairs);
    }
    return told.get(code);
  }

  function filed(name, row) {
    if (name === "seat") { return columns.seat[row]; }
    if (name === "table") {
      var table = text("table", row), casino = text("casino", row);
      return table === null ? null : several.casino && casino !== null ? table + " of " + casino : table;
    }
    if (name === "dealer" || name === "shift" || name === "pit") {
      var pair = context(row).find(function (one) { return one[0] === name; });
      return pair ? pair[1] : null;
    }
    return text(name, row);
  }

  var several = {casino: false};
  var files = {};   // by kind, the number of each finding's value
  var values = {};  // by kind, the values by their numbers: [value, how many]

  function fileAll() {
    several.casino = new Set(columns.casino).size > 1;
    PICKS.forEach(file);
  }

  function file(name) {
    var known = new Map(), codes = files[name] = new Int32Array(rows), listed = values[name] = [];
    var source = columns[name === "dealer" || name === "shift" || name === "pit" ? "context" : name];
    var direct = name !== "table" || !several.casino, seen = new Map();
    for (var row = 0; row < rows; row++) {
      var code = direct ? seen.get(source[row]) : undefined;
      if (code === undefined) {
        var value = filed(name, row);
        code = known.get(value);
        if (code === undefined) { known.set(value, code = listed.length); listed.push([value, 0]); }
        if (direct) { seen.set(source[row], code); }
      }
      codes[row] = code;
      listed[code][1]++;
    }
  }

  // Words

  function number(value) { return String(value).replace(/\B(?=(\d{3})+$)/g, ","); }
  function counted(value, one) { return number(value) + " " + one + (value === 1 ? "" : "s"); }
  function money(minor, currency) {
    var cents = String(minor % 100);
    return (SIGNS[currency] || (currency ? currency + " " : "")) + number(Math.floor(minor / 100)) + "." +
      (cents.length < 2 ? "0" : "") + cents;
  }
  function plain(said) { return (said || "").replace(/\.$/, "").toLowerCase(); }
  function sentence(said) { return said ? capital(said) + (/[.!?]$/.test(said) ? "" : ".") : said; }
  function capital(word) { return word.charAt(0).toUpperCase() + word.slice(1); }
  function label(name, value) {
    if (value === null) { return "not stated"; }
    if (name === "requirement") { return own(about.titles, value) || value; }
    if (name === "status") { return about.states[value]; }
    return name === "state" ? capital(value) : String(value);
  }
  function own(names, key) { return Object.prototype.hasOwnProperty.call(names, key) ? names[key] : null; }

  // Sorting out: an array of the rows that fit, in their order

  function sought() {
    var words = byId("find-words").value.toLowerCase().match(/"[^"]+"|\S+/g) || [];
    var tests = [];
    for (var at = 0; at < words.length; at++) {
      var word = words[at].replace(/^"(.+)"$/, "$1"), after = words[at + 1];
      if ((word === "seat" || word === "event") && /^\d+$/.test(after || "")) {
        tests.push(equals(columns[word], Number(after)));
        at++;
      } else {
        tests.push(contains(word));
      }
    }
    return tests;
  }

  function equals(column, value) { return function (row) { return column[row] === value; }; }

  function contains(word) {
    var hit = new Uint8Array(texts.length);
    texts.forEach(function (one, code) { hit[code] = one.toLowerCase().indexOf(word) >= 0 ? 1 : 0; });
    var titled = new Uint8Array(texts.length);
    new Set(columns.requirement).forEach(function (code) {
      titled[code] = label("requirement", texts[code]).toLowerCase().indexOf(word) >= 0 ? 1 : 0;
    });
    var named = LABELS.indexOf(word) >= 0 ? columns[word] : null, none = CODED.indexOf(word) >= 0 ? -1 : null;
    var spot = /:\d/.test(word);
    return function (row) {
      if (named && named[row] !== none || titled[columns.requirement[row]]) { return true; }
      for (var at = 0; at < CODED.length; at++) {
        var code = columns[CODED[at]][row];
        if (code >= 0 && hit[code]) { return true; }
      }
      for (at = 0; at < PLAIN.length; at++) {
        var said = columns[PLAIN[at]][row];
        if (said !== null && said.toLowerCase().indexOf(word) >= 0) { return true; }
      }
      return when(row).toLowerCase().indexOf(word) >= 0 || spot && location(row).toLowerCase().indexOf(word) >= 0;
    };
  }

  function picked(name) {
    var select = byId("find-" + name), code = Number(select.value), codes = files[name];
    return select.value === "" ? null : function (row) { return codes[row] === code; };
  }

  function fitting() {
    var tests = sought().concat(PICKS.map(picked).filter(Boolean));
    var found = [];
    for (var row = 0; row < rows; row++) {
      for (var at = 0; at < tests.length && tests[at](row); at++) { /* as long as they hold */ }
      if (at === tests.length) { found.push(row); }
    }
    return found;
  }

  function sums(found) {
    var owed = Object.create(null), overpaid = Object.create(null);
    found.forEach(function (row) {
      if (columns.waived[row] >= 0 || columns.owed[row] === null) { return; }
      var currency = text("currency", row) || about.currency;
      owed[currency] = (owed[currency] || 0) + columns.owed[row];
      overpaid[currency] = (overpaid[currency] || 0) + (columns.overpaid[row] || 0);
    });
    return Object.keys(owed).sort().map(function (currency) {
      return [owed[currency] ? money(owed[currency], currency) + " owed to players" : "",
        overpaid[currency] ? money(overpaid[currency], currency) + " overpaid" : ""].filter(Boolean).join(", ");
    }).filter(Boolean).join(", ");
  }
  function extent(found) {
    var come = sums(found);
    return counted(found.length, "finding") + (come ? ", " + come : "");
  }

  function focus(part) {
    var summary = part.querySelector(":scope > summary");
    if (!summary) { part.tabIndex = -1; }
    (summary || part).focus();
  }

  // Writing out: whatever a text says, it goes in as text

  function make(name, kind, said) {
    var one = document.createElement(name);
    if (kind) { one.className = kind; }
    if (said !== undefined && said !== null) { one.textContent = said; }
    return one;
  }
  function put(into) {
    for (var at = 1; at < arguments.length; at++) { if (arguments[at]) { into.appendChild(arguments[at]); } }
    return into;
  }
  function sign(name) {
    var space = document.querySelector(".signs").namespaceURI, svg = document.createElementNS(space, "svg");
    var use = document.createElementNS(space, "use");
    svg.setAttribute("class", "sign");
    svg.setAttribute("aria-hidden", "true");
    svg.setAttribute("viewBox", "0 0 16 16");
    use.setAttribute("href", "#sign-" + name);
    svg.appendChild(use);
    return svg;
  }
  function badge(name, word) { return put(make("span", "badge is-" + name), sign(name), document.createTextNode(word)); }

  function when(row) {
    var day = text("day", row), clock = columns.clock[row];
    if (day === null || /^\d/.test(clock || "")) { return clock || ""; }
    return day + (clock || "").replace(/^T/, " ");
  }
  function location(row) {
    return [text("file", row), columns.line[row], columns.column[row]]
      .filter(function (part) { return part !== null; }).join(":");
  }
  function fact(list, name, said, kind) {
    if (said === null || said === "") { return; }
    put(list, put(make("div", kind), make("dt", "", name), put(make("dd"), make("bdi", "said", said))));
  }

  function place(row) {
    var into = make("p", "place");
    var parts = [["casino", several.casino ? text("casino", row) : null], ["table", text("table", row)],
      ["round", columns.round[row]], ["seat", columns.seat[row]], ["player", text("player", row)], ["wager", text("wager", row)],
      ["event", columns.event[row]], ["time", when(row) || null]].concat(context(row));
    parts.forEach(function (part) {
      if (part[1] === null) { return; }
      put(into, put(make("span", "part"), make("span", "what", part[0]), document.createTextNode(" "),
        make("bdi", "", part[1])), document.createTextNode(" "));
    });
    return into;
  }

  function more(row) {
    var details = make("details"), list = make("dl", "facts about-it");
    put(details, make("summary", "", "Regulation and corrective action"));
    details.addEventListener("toggle", function () {
      if (list.parentNode) { return; }
      (text("clauses", row) || "").split("\n").filter(Boolean).forEach(function (clause) {
        var words = own(about.clauses, clause);
        fact(list, "Regulation", clause + (words ? ": " + words[0] + " (" + words[1] + ")" : ""));
        if (words && words[2]) { fact(list, "Text", words[2], "quoted"); }
      });
      if (plain(text("message", row)) !== plain(label("requirement", text("requirement", row)))) {
        fact(list, "Message", text("message", row));
      }
      fact(list, "Corrective action", text("remedy", row));
      fact(list, "Readings", (text("reading", row) || "").split("\n").join(", "));
      fact(list, "Waived", text("waived", row));
      fact(list, "Claim", text("claimed", row));
      fact(list, "Rule", text("requirement", row));
      fact(list, "Severity", text("severity", row));
      fact(list, "Submission", text("submission", row));
      fact(list, "Place", location(row) + (text("pointer", row) === null ? "" : " at " + (text("pointer", row) || "the whole document")));
      fact(list, "Finding", columns.id[row]);
      put(details, list);
    });
    return details;
  }

  function finding(row) {
    var item = make("li", "finding"), pair = make("dl", "pair"), status = text("status", row), state = text("state", row);
    var marks = put(make("span", "marks"), badge(status, label("status", status)),
      columns.waived[row] < 0 ? null : badge("waived", "Waived"), state ? make("span", "tag", capital(state)) : null);
    put(item, put(make("p", "name"), marks, make("bdi", "", label("requirement", text("requirement", row)))), place(row));
    fact(pair, "Required", sentence(columns.expected[row]));
    fact(pair, "Observed", sentence(columns.observed[row]), "observed");
    if (columns.count[row] !== null) { fact(pair, "Count", counted(columns.count[row], "item")); }
    return put(item, pair, more(row));
  }

  function pages(into, count, each, size, noun) {
    var shown = 0, button = make("button");
    button.type = "button";
    function on() {
      for (var end = Math.min(count, shown + size); shown < end; shown++) { put(into, each(shown)); }
      button.hidden = shown === count;
      button.textContent = "Show " + number(Math.min(size, count - shown)) + " more of " + counted(count, noun);
    }
    button.addEventListener("click", function () {
      var next = into.childElementCount;
      on();
      focus(into.children[next]);
    });
    on();
    return button;
  }

  function list(into, found) {
    var items = make("ol", "found");
    put(into, items, pages(items, found.length, function (at) { return finding(found[at]); }, ROWS, "finding"));
  }

  var ORDER = {seat: byValue, day: byValue};
  function byValue(one, other) {
    var a = one.value, b = other.value;
    return a === null || b === null ? (a === null) - (b === null) : a < b ? -1 : a > b ? 1 : 0;
  }
  function bySize(one, other) { return other.found.length - one.found.length; }

  function bunches(found, name) {
    var by = new Map(), codes = files[name];
    found.forEach(function (row) {
      var code = codes[row];
      if (!by.has(code)) { by.set(code, {value: values[name][code][0], found: []}); }
      by.get(code).found.push(row);
    });
    var sorted = Array.from(by.values());
    return name === "requirement" ? sorted : sorted.sort(ORDER[name] || bySize);
  }

  function bunch(one, name, open) {
    var details = make("details", "bunch"), written = false;
    function write() {
      if (!written && details.open) { written = true; list(details, one.found); }
    }
    put(details, put(make("summary"), make("bdi", "", (name === "seat" ? "Seat " : "") + label(name, one.value)),
      document.createTextNode(": "), make("span", "extent", extent(one.found))));
    details.addEventListener("toggle", write);
    details.open = open;
    write();
    return details;
  }

  function show() {
    var name = byId("find-group").value;
    var asked = name || byId("find-words").value.trim() ||
      PICKS.some(function (one) { return byId("find-" + one).value !== ""; });
    var into = byId("results");
    into.textContent = "";
    into.hidden = !asked;
    byId("groups").hidden = Boolean(asked);
    byId("find-result").textContent = "";
    if (!asked) { return; }
    var found = fitting();
    byId("find-result").textContent = number(found.length) + " of " + counted(rows, "finding") +
      (sums(found) ? ": " + sums(found) : "") + ". Printed, the report is complete; the schedule has these only.";
    if (!name) { list(into, found); return; }
    var sorted = bunches(found, name), items = make("div");
    put(into, items, pages(items, sorted.length, function (at) { return bunch(sorted[at], name, sorted.length === 1); },
      BUNCHES, "group"));
  }

  // The schedule of the findings that fit, printed alone

  function scheduled(found) {
    var wanted = new Set(found), number = 0, listed = [], status = texts.indexOf("fail");
    for (var row = 0; row < rows; row++) {
      if (columns.status[row] !== status || columns.waived[row] >= 0) { continue; }
      number++;
      if (wanted.has(row)) { listed.push([number, row]); }
    }
    return listed;
  }
  function note(row, name) {
    var pair = context(row).find(function (one) { return one[0] === name; });
    return pair ? pair[1] : null;
  }
  function difference(row) {
    var off = (columns.overpaid[row] || 0) - (columns.owed[row] || 0);
    return off ? (off < 0 ? "-" : "+") + money(Math.abs(off), text("currency", row) || about.currency) : null;
  }
  function clausesOf(row) {
    var prefix = text("document", row) + "/";
    return (text("clauses", row) || "").split("\n").map(function (clause) {
      return clause.indexOf(prefix) === 0 ? clause.slice(prefix.length) : clause;
    }).join(", ");
  }
  function printSchedule() {
    var part = make("div"), table = make("table", "schedule"), head = make("tr"), body = make("tbody");
    var listed = scheduled(fitting()), shown = listed.slice(0, PRINTED);
    part.id = "schedule-print";
    put(part, make("h1", "", document.querySelector("h1").textContent),
      make("p", "", "Schedule of violations: " + number(listed.length) + " of " + number(scheduled(all()).length) +
        (listed.length > shown.length ? ", the first " + number(shown.length) + " printed" : "")));
    about.schedule.forEach(function (heading) {
      var cell = make("th", "", heading);
      cell.scope = "col";
      put(head, cell);
    });
    shown.forEach(function (entry) {
      var row = entry[1], line = make("tr");
      [entry[0], text("day", row), (columns.clock[row] || "").replace(/^T/, ""), text("table", row),
        note(row, "dealer"), columns.round[row], columns.seat[row], text("player", row), text("wager", row),
        columns.expected[row], columns.observed[row], difference(row), clausesOf(row), note(row, "video")
      ].forEach(function (said) { put(line, put(make("td"), make("bdi", "", said))); });
      put(body, line);
    });
    put(document.body, put(part, put(table, put(make("thead"), head), body)));
    document.body.classList.add("prints-schedule");
    window.addEventListener("afterprint", function done() {
      window.removeEventListener("afterprint", done);
      document.body.classList.remove("prints-schedule");
      part.remove();
    });
    window.print();
  }
  function all() {
    var every = [];
    for (var row = 0; row < rows; row++) { every.push(row); }
    return every;
  }

  // Setting up

  // Folded parts are open where a link leads into them, and on paper.
  function unfold(all) {
    var part = all ? null : document.getElementById(decodeURIComponent(window.location.hash.slice(1)));
    Array.prototype.forEach.call(document.querySelectorAll("details.fold:not([open])"), function (fold) {
      if (all || part && fold.contains(part)) { fold.open = true; }
    });
    if (part) { part.scrollIntoView(); }
  }
  window.addEventListener("hashchange", function () { unfold(false); });
  window.addEventListener("beforeprint", function () { unfold(true); });

  function options(name) {
    var select = byId("find-" + name), listed = values[name].map(function (one, code) {
      return {value: one[0], count: one[1], code: code};
    });
    var useful = listed.length > 1 || listed.some(function (one) { return one.value !== null; });
    byId("pick-" + name).hidden = !useful || name === "casino" && listed.length < 2;
    Array.prototype.forEach.call(byId("find-group").options, function (option) {
      if (option.value === name) { option.hidden = option.disabled = byId("pick-" + name).hidden; }
    });
    if (name !== "requirement" && name !== "status") { listed.sort(byValue); }
    listed.forEach(function (one) {
      var option = make("option", "", label(name, one.value) + " (" + number(one.count) + ")");
      option.value = String(one.code);
      put(select, option);
    });
  }

  function showGroup(button) {
    var title = button.closest("article").dataset;
    clear();
    pick("requirement", title.requirement);
    pick("status", title.status);
    show();
    tools.scrollIntoView();
    focus(byId("find-result"));
  }
  function pick(name, value) {
    var code = values[name].findIndex(function (one) { return one[0] === value; });
    byId("find-" + name).value = code < 0 ? "" : String(code);
  }
  function clear() {
    byId("find-words").value = "";
    byId("find-group").value = "";
    PICKS.forEach(function (name) { byId("find-" + name).value = ""; });
  }

  function start() {
    var waiting = 0;
    fileAll();
    PICKS.forEach(options);
    PICKS.concat("group").forEach(function (name) { byId("find-" + name).addEventListener("change", show); });
    byId("find-words").addEventListener("input", function () {
      clearTimeout(waiting);
      waiting = setTimeout(show, 120);
    });
    byId("find-print").addEventListener("click", printSchedule);
    byId("find-clear").addEventListener("click", function () { clear(); show(); });
    Array.prototype.forEach.call(document.querySelectorAll("button.all"), function (button) {
      button.hidden = false;
      button.addEventListener("click", function () { showGroup(button); });
    });
    // A link to findings that a search has put away brings them back.
    document.addEventListener("click", function (event) {
      var link = event.target.closest("a");
      if (link && byId("groups").hidden && /^#group-/.test(link.getAttribute("href"))) { clear(); show(); }
    });
    tools.hidden = false;
    byId("held").hidden = true;
  }

  function give() {
    byId("held").textContent += " This browser cannot search them; use another browser or the results file.";
  }

  // Once the page itself is painted.
  requestAnimationFrame(function () { setTimeout(function () { unpack().then(start).catch(give); }, 0); });
})();
