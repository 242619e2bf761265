"use strict";

// Only comforts: without this script the page shows the same results.
const all = (selector, root = document) => [...root.querySelectorAll(selector)];

function leaderboard(table, form, status) {
  const bodies = all("tbody", table);
  const headers = all("thead th", table);
  let sorted = null; // the header whose column orders the rows, and which way

  const chosen = (name) => new Set(all(`input[name="${name}"]:checked`, form).map((box) => box.value));
  const place = (header) => headers.indexOf(header);
  const shownBody = () => bodies.find((body) => !body.hidden);

  function order(body) {
    if (!sorted) return;
    const { header, descending } = sorted;
    const numeric = header.dataset.sort === "number";
    const sign = descending ? -1 : 1;
    const key = (row) => row.cells[place(header)].dataset.value;
    const compare = (a, b) => {
      const [x, y] = [key(a), key(b)];
      if (x === "" || y === "") return (x === "") - (y === ""); // nothing comes last, either way
      return sign * (numeric ? x - y : x.localeCompare(y));
    };
    body.append(...[...body.rows].sort(compare));
  }

  function markBest(body) {
    for (const header of headers) {
      const better = header.dataset.better;
      if (!header.dataset.metric || "published" in header.dataset) continue;
      const cells = [...body.rows].map((row) => row.cells[place(header)]);
      cells.forEach((cell) => cell.classList.remove("best"));
      const rivals = cells.filter((cell) => {
        const row = cell.parentElement;
        return !row.hidden && "competes" in row.dataset && cell.dataset.value !== "";
      });
      const values = rivals.map((cell) => Number(cell.dataset.value));
      const best = better === "higher" ? Math.max(...values) : better === "lower" ? Math.min(...values) : NaN;
      rivals.forEach((cell, i) => cell.classList.toggle("best", values[i] === best));
    }
  }

  function update() {
    const setting = form.elements.setting ? form.elements.setting.value : bodies[0].dataset.setting;
    const kinds = chosen("kind"), apart = chosen("apart"), metrics = chosen("metric");
    bodies.forEach((body) => { body.hidden = body.dataset.setting !== setting; });
    const body = shownBody();
    for (const row of body.rows) {
      row.hidden = !kinds.has(row.dataset.kind) || (row.dataset.apart !== "" && !apart.has(row.dataset.apart));
    }
    for (const cell of all("[data-metric]", table)) {
      const unpublished = "published" in cell.dataset && !("hasPublished" in body.dataset);
      cell.hidden = unpublished || !metrics.has(cell.dataset.metric);
    }
    order(body);
    markBest(body);
    const count = [...body.rows].filter((row) => !row.hidden).length;
    const by = sorted ? `, sorted by ${sorted.header.textContent.trim()}, ${sorted.descending ? "descending" : "ascending"}` : "";
    status.textContent = `${count} methods at ${setting}${by}.`;
  }

  function sortBy(header) {
    // The first click puts the best on top.
    const first = header.dataset.sort === "number" && header.dataset.better !== "lower";
    const descending = sorted && sorted.header === header ? !sorted.descending : first;
    sorted = { header, descending };
    headers.forEach((other) => other.setAttribute("aria-sort", "none"));
    header.setAttribute("aria-sort", descending ? "descending" : "ascending");
    update();
  }

  for (const header of headers) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    button.addEventListener("click", () => sortBy(header));
    header.append(button);
    header.setAttribute("aria-sort", "none");
  }
  form.addEventListener("change", update);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  form.reset();
  update();
}

function followReader(links) {
  const targets = new Map(links.map((link) => [document.getElementById(link.hash.slice(1)), link]));
  const seen = new Set();
  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries) entry.isIntersecting ? seen.add(entry.target) : seen.delete(entry.target);
    const current = [...targets.keys()].find((target) => seen.has(target));
    for (const [target, link] of targets) {
      if (target === current) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }, { rootMargin: "-10% 0px -70% 0px" });
  for (const target of targets.keys()) observer.observe(target);
}

// On paper nothing can be opened.
function openForPrint() {
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = all("details:not([open])");
    closed.forEach((element) => { element.open = true; });
  });
  addEventListener("afterprint", () => closed.forEach((element) => { element.open = false; }));
}

const board = document.getElementById("board");
if (board) leaderboard(board, document.getElementById("board-filters"), document.getElementById("board-status"));
followReader(all(".contents a"));
openForPrint();
const narrow = matchMedia("(max-width: 68rem)").matches;
if (narrow) document.querySelector(".contents details").open = false;
