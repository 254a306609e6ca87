// Every page reads and posts without this file. It adds keys, menus that close and focus that follows a swap.
(() => {
  "use strict";
  document.documentElement.classList.add("js");

  const typing = (node) => node instanceof Element && node.closest("input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]");

  // Menus: one open at a time, closed by Escape or a click elsewhere.
  document.addEventListener("click", (event) => {
    for (const menu of document.querySelectorAll("details[data-menu][open]")) {
      if (!menu.contains(event.target)) menu.open = false;
    }
    const dismiss = event.target.closest("[data-dismiss]");
    if (dismiss) dismiss.closest("[data-toast]").remove();
  });

  const places = { s: "sources", k: "knowledge", r: "review", e: "export", n: "connection" };
  const goTo = (key) => {
    const name = places[key];
    const link = name && [...document.querySelectorAll(".places a")].find((each) => new URL(each.href).pathname.endsWith(`/${name}`));
    if (link) link.click();
  };

  const move = (step) => {
    const links = [...document.querySelectorAll("[data-inbox] h3 a")];
    if (!links.length) return;
    const at = links.indexOf(document.activeElement);
    links[Math.min(Math.max(at + step, 0), links.length - 1)].focus();
  };

  let waiting = "";
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      const menu = document.querySelector("details[data-menu][open]");
      if (menu) { menu.open = false; menu.querySelector("summary").focus(); }
      return;
    }
    if (typing(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (waiting === "g") { waiting = ""; goTo(event.key); return; }
    waiting = event.key === "g" ? "g" : "";
    if (event.key === "/") {
      const box = document.querySelector("[data-search]");
      if (box) { event.preventDefault(); box.focus(); box.select(); }
    } else if (event.key === "j") move(1);
    else if (event.key === "k") move(-1);
  });

  // The first field in error takes the focus; after a swap that a person asked for, the new region does.
  const firstError = (root) => root.querySelector("[aria-invalid='true']");
  const field = firstError(document);
  if (field) field.focus();
  document.addEventListener("htmx:afterSwap", (event) => {
    const asked = event.detail.requestConfig && event.detail.requestConfig.triggeringEvent;
    if (!asked || asked.type !== "submit") return;
    const region = document.getElementById(event.detail.target.id);
    if (!region) return;
    const wrong = firstError(region);
    if (wrong) { wrong.focus(); return; }
    region.tabIndex = -1;
    region.focus({ preventScroll: true });
  });
  // A region that refreshes itself says what is new in one place, and only when it is new.
  const live = document.getElementById("live");
  document.addEventListener("htmx:afterSwap", (event) => {
    const region = document.getElementById(event.detail.target.id);
    const words = region && region.dataset.announce;
    if (live && words && live.textContent !== words) live.textContent = words;
  });

  // The excerpt one came for: shown even when the rail is scrolled on its own.
  const current = document.querySelector(".stmt-rail [aria-current]");
  if (current) {
    const rail = current.closest(".sticky");
    if (rail) rail.scrollTop = current.offsetTop - rail.offsetTop - 48;
  }
})();
