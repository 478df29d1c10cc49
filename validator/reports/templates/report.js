(function () {
  "use strict";
  var byId = function (id) { return document.getElementById(id); };
  var all = function (selector) { return Array.prototype.slice.call(document.querySelectorAll(selector)); };
  var entries = all("[data-status]");
  var status = byId("filter-status");
  var words = byId("filter-text");
  var shut = [];

  function filter() {
    var wanted = words.value.trim().toLowerCase();
    var shown = 0;
    entries.forEach(function (entry) {
      var fits = (!status.value || entry.dataset.status === status.value) &&
        (!wanted || entry.textContent.toLowerCase().indexOf(wanted) >= 0);
      entry.classList.toggle("filtered-out", !fits);
      shown += fits ? 1 : 0;
    });
    byId("filter-result").textContent = status.value || wanted
      ? shown + " of " + entries.length + " groups of findings and requirements are shown. A printed copy shows all."
      : "";
  }

  function openAll(open) {
    all("details").forEach(function (part) { part.open = open; });
  }

  status.addEventListener("change", filter);
  words.addEventListener("input", filter);
  byId("open-all").addEventListener("click", function () { openAll(true); });
  byId("close-all").addEventListener("click", function () { openAll(false); });
  window.addEventListener("beforeprint", function () {
    shut = all("details:not([open])");
    openAll(true);
  });
  window.addEventListener("afterprint", function () {
    shut.forEach(function (part) { part.open = false; });
  });
  byId("tools").hidden = false;
})();
