// Every page reads and posts without this file. It adds menus that close, dialogs, and focus that follows a swap.
(() => {
  "use strict";
  document.documentElement.classList.add("js");

  // Menus: one open at a time, closed by Escape or a click elsewhere.
  document.addEventListener("click", (event) => {
    for (const menu of document.querySelectorAll("details[data-menu][open]")) {
      if (!menu.contains(event.target)) menu.open = false;
    }
    const dismiss = event.target.closest("[data-dismiss]");
    if (dismiss) dismiss.closest("[data-toast]").remove();
    const opener = event.target.closest("[data-open]");
    if (opener) {
      for (const menu of document.querySelectorAll("details[data-menu][open]")) menu.open = false;
      document.getElementById(opener.dataset.open).showModal();
    }
    if (event.target.closest("[data-find]")) { event.preventDefault(); find(); }
    if (event.target instanceof HTMLDialogElement) event.target.close();
  });

  // The palette starts with pages and projects, before anything is typed.
  const find = () => {
    const palette = document.getElementById("palette");
    if (!palette || palette.open) return;
    palette.showModal();
    const box = palette.querySelector("input");
    box.select();
    if (window.htmx) window.htmx.trigger(box, "palette");
  };
  document.addEventListener("console:find", find);

  // Arrows move through what was found; Enter in the box opens the first of it.
  document.addEventListener("keydown", (event) => {
    const palette = event.target instanceof Element && event.target.closest("#palette");
    if (!palette) return;
    const links = [...palette.querySelectorAll(".found a")];
    const at = links.indexOf(document.activeElement);
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const next = at + (event.key === "ArrowDown" ? 1 : -1);
      if (next < 0) palette.querySelector("input").focus();
      else if (links[next]) links[next].focus();
    } else if (event.key === "Enter" && at < 0 && links.length) {
      event.preventDefault();
      links[0].click();
    }
  });

  // The first field in error takes the focus; after a swap that a person asked for, the new region does.
  const firstError = (root) => root.querySelector("[aria-invalid='true']");
  const field = firstError(document);
  if (field) field.focus();
  document.addEventListener("htmx:afterSwap", (event) => {
    const asked = event.detail.requestConfig && event.detail.requestConfig.triggeringEvent;
    if (!asked || (asked.type !== "submit" && asked.type !== "click")) return;
    const region = document.getElementById(event.detail.target.id);
    if (!region) return;
    const wrong = firstError(region);
    if (wrong) { wrong.focus(); return; }
    const found = region.querySelector("[data-found]") || region;
    found.tabIndex = -1;
    found.focus({ preventScroll: true });
  });
  // An address says what was asked and nothing of what was left empty.
  document.addEventListener("htmx:configRequest", (event) => {
    const { verb, formData } = event.detail;
    if (verb !== "get" || !formData) return;
    for (const [name, value] of [...formData.entries()]) if (value === "") formData.delete(name);
  });
  // A region that refreshes itself says what is new in one place, and only when it is new.
  const live = document.getElementById("live");
  document.addEventListener("htmx:afterSwap", (event) => {
    const region = document.getElementById(event.detail.target.id);
    const told = region && (region.dataset.announce ? region : region.querySelector("[data-announce]"));
    const words = told && told.dataset.announce;
    const dialog = region && region.closest("dialog");
    const where = dialog ? dialog.querySelector("[role=status]") : live;
    if (where && words && where.textContent !== words) where.textContent = words;
  });

  // The excerpt one came for: shown even when the rail is scrolled on its own.
  const current = document.querySelector(".stmt-rail [aria-current]");
  if (current) {
    const rail = current.closest(".sticky");
    if (rail) rail.scrollTop = current.offsetTop - rail.offsetTop - 48;
  }
})();
