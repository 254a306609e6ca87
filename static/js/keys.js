// The keys. Fixed, the same wherever they work, and off while one types. Each is also a button or a link.
(() => {
  "use strict";
  const typing = (node) => node instanceof Element && node.closest("input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]");
  const presses = (node) => node instanceof Element && node.closest("a, button, summary, input[type=checkbox]");

  const goTo = (key) => {
    const link = document.querySelector(`.places a[data-place="${CSS.escape(key)}"]`);
    if (link) link.click();
  };
  const rows = () => [...document.querySelectorAll("[data-inbox] h3 a")];
  const move = (step) => {
    const go = document.querySelector(`[data-go="${step > 0 ? "j" : "k"}"]`);
    if (go) { go.click(); return; }
    const links = rows();
    if (!links.length) return;
    const here = document.activeElement.closest("[data-inbox] > li");
    const at = here ? links.indexOf(here.querySelector("h3 a")) : -1;
    links[Math.min(Math.max(at + step, 0), links.length - 1)].focus();
  };
  const pick = () => {
    const row = document.activeElement.closest("[data-inbox] > li");
    const box = row && row.querySelector("input[name=pick]");
    if (box) box.click();
  };
  const undo = () => {
    const button = document.querySelector("[data-undo]");
    const reason = document.querySelector("form[action*='/reopen'] textarea");
    if (button) button.click();
    else if (reason) reason.focus();
  };
  const search = () => {
    const box = document.querySelector("[data-search]");
    if (box) { box.focus(); box.select(); }
    else document.dispatchEvent(new CustomEvent("console:find"));
  };
  const map = () => {
    const dialog = document.getElementById("shortcuts");
    if (dialog && !dialog.open) dialog.showModal();
  };
  const keys = { "/": search, "?": map, j: () => move(1), k: () => move(-1), x: pick, u: undo };

  // How many are picked stands on the button that acts on them.
  const count = () => {
    const button = document.querySelector("[data-pick-submit]");
    if (!button) return;
    const number = document.querySelectorAll("input[name=pick]:checked").length;
    button.disabled = number === 0;
    button.dataset.none ||= button.textContent;
    button.textContent = number ? button.dataset.some.replace("#", number) : button.dataset.none;
  };
  document.addEventListener("change", (event) => { if (event.target.name === "pick") count(); });
  document.addEventListener("htmx:afterSwap", count);
  window.addEventListener("pageshow", count);
  count();

  let waiting = "";
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      const menu = document.querySelector("details[data-menu][open]");
      if (menu) { menu.open = false; menu.querySelector("summary").focus(); }
      return;
    }
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
      event.preventDefault();
      document.dispatchEvent(new CustomEvent("console:find"));
      return;
    }
    if (typing(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector("dialog[open]")) return;
    if (waiting === "g") { waiting = ""; event.preventDefault(); goTo(event.key); return; }
    if (event.key === "g") { waiting = "g"; return; }
    if (event.key === "Enter" && presses(event.target)) return;
    const ours = !document.dispatchEvent(new CustomEvent("console:key", { detail: event.key, cancelable: true }));
    if (ours || Object.hasOwn(keys, event.key)) event.preventDefault();
    if (!ours && Object.hasOwn(keys, event.key)) keys[event.key]();
  });
})();
