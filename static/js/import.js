// Dropping files or a folder on the import form; the plain file field works without it.
(() => {
  "use strict";
  const form = document.querySelector("[data-import]");
  if (!form) return;
  const input = form.querySelector("input[type=file]");
  const chosen = form.querySelector("[data-chosen]");
  form.querySelector("[data-drop-hint]").hidden = false;

  // Each file's path, in the order of the files: a folder keeps its shape.
  const tell = (paths) => {
    for (const old of form.querySelectorAll("input[name=paths]")) old.remove();
    for (const path of paths) {
      const hidden = document.createElement("input");
      hidden.type = "hidden"; hidden.name = "paths"; hidden.value = path;
      form.append(hidden);
    }
    const listed = `${paths.slice(0, 6).join(", ")}${paths.length > 6 ? " …" : ""}`;
    const words = paths.length === 1 ? chosen.dataset.one : chosen.dataset.many.replace("#", paths.length);
    chosen.textContent = paths.length ? `${words} ${listed}` : "";
  };

  // One field for files and, at the press of a button, for a whole folder.
  const folder = form.querySelector("[data-folder]");
  folder.hidden = !("webkitdirectory" in input);
  folder.addEventListener("click", () => {
    input.webkitdirectory = true;
    input.click();
  });
  for (const end of ["change", "cancel"]) input.addEventListener(end, () => { input.webkitdirectory = false; });
  input.addEventListener("change", () => tell([...input.files].map((file) => file.webkitRelativePath || file.name)));

  const read = (entry) => new Promise((resolve) => {
    if (entry.isFile) { entry.file((file) => resolve([[entry.fullPath.slice(1), file]]), () => resolve([])); return; }
    const reader = entry.createReader();
    const found = [];
    const more = () => reader.readEntries(async (entries) => {
      if (!entries.length) { resolve((await Promise.all(found)).flat()); return; }
      found.push(...entries.map(read));
      more();
    }, () => resolve([]));
    more();
  });

  form.addEventListener("dragover", (event) => { event.preventDefault(); form.classList.add("over"); });
  form.addEventListener("dragleave", () => form.classList.remove("over"));
  form.addEventListener("drop", async (event) => {
    event.preventDefault();
    form.classList.remove("over");
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry()).filter(Boolean);
    const files = (await Promise.all(entries.map(read))).flat();
    if (!files.length) return;
    const transfer = new DataTransfer();
    for (const [, file] of files) transfer.items.add(file);
    input.files = transfer.files;
    tell(files.map(([path]) => path));
  });
})();
