// A ruling's button repeats the choice, its phrases fill the reason, and it is sent once. The form posts the same without it.
(() => {
  "use strict";
  const form = document.querySelector("[data-ruling]");
  if (!form) return;
  const words = form.querySelector("[data-record]");
  const reason = form.querySelector("textarea");
  const unchosen = words.textContent;
  const repeat = () => {
    const choice = form.querySelector("input[name=ruling]:checked");
    words.textContent = choice ? words.dataset.record.replace("…", choice.dataset.words) : unchosen;
    for (const row of document.querySelectorAll("[data-preview]")) {
      row.toggleAttribute("data-chosen", Boolean(choice) && row.dataset.preview === choice.value);
    }
  };
  form.addEventListener("change", repeat);
  repeat();

  // A phrase replaces the phrase before it, and never what a person typed.
  const phrases = [...form.querySelectorAll("[data-phrase]")];
  const say = (phrase) => {
    const typed = reason.value.trim();
    const replaces = !typed || phrases.some((each) => each.dataset.phrase === typed);
    reason.value = replaces ? phrase : `${typed} ${phrase}`;
  };
  form.addEventListener("click", (event) => {
    const phrase = event.target.closest("[data-phrase]");
    if (phrase) say(phrase.dataset.phrase);
  });

  // What a ruling takes, for the figures of Review: keys and clicks, without what is typed as the reason.
  const counted = form.elements.presses;
  let presses = counted ? Number(counted.value) || 0 : 0;
  const typed = (event) => event.target instanceof Element && event.target.closest("textarea, input:not([type=radio], [type=checkbox]), select");
  document.addEventListener("keydown", (event) => {
    const holds = ["Shift", "Control", "Alt", "Meta"].includes(event.key);
    const records = event.key === "Enter" && (event.ctrlKey || event.metaKey);
    if (!holds && !event.repeat && (records || !typed(event))) presses += 1;
  }, true);
  document.addEventListener("pointerdown", () => { presses += 1; }, true);

  let sent = false;
  form.addEventListener("submit", (event) => {
    if (sent) event.preventDefault();
    if (counted) counted.value = String(presses);
    sent = true;
  });
  window.addEventListener("pageshow", () => { sent = false; });

  // What the keys of a ruling do; keys.js asks here first. True when the key was one of them.
  document.addEventListener("console:key", (event) => {
    const key = event.detail;
    const choice = form.querySelector(`input[data-key="${CSS.escape(key)}"]`);
    const phrase = phrases.find((each) => each.dataset.phraseKey === key);
    if (choice) { choice.checked = true; choice.focus(); repeat(); }
    else if (phrase) say(phrase.dataset.phrase);
    else if (key === "n") reason.focus();
    else if (key === "Enter") form.requestSubmit(form.querySelector("button[type=submit]"));
    else return;
    event.preventDefault();
  });
  reason.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      form.requestSubmit(form.querySelector("button[type=submit]"));
    }
  });
})();
