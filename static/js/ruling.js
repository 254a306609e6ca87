// Fixed keys for a ruling, and a button that repeats the choice. The form posts the same without it.
(() => {
  "use strict";
  const form = document.querySelector("[data-ruling]");
  if (!form) return;
  const words = form.querySelector("[data-record]");
  const repeat = () => {
    const choice = form.querySelector("input[name=ruling]:checked");
    words.textContent = choice ? `Record ruling: ${choice.dataset.words}` : "Record ruling";
  };
  form.addEventListener("change", repeat);
  repeat();
  document.addEventListener("keydown", (event) => {
    if (event.target.closest("input:not([type=radio]), textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
    const choice = form.querySelector(`input[data-key="${CSS.escape(event.key)}"]`);
    if (!choice) return;
    event.preventDefault();
    choice.checked = true;
    choice.focus();
    repeat();
  });
})();
