"use strict";

// Without this script the page is whole but for the leaderboard, which then shows its first setting
// alone; the table that it links to has the others.
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

  function update() {
    const setting = form.elements.setting ? form.elements.setting.value : bodies[0].dataset.setting;
    const kinds = chosen("kind"), apart = chosen("apart"), metrics = chosen("metric");
    bodies.forEach((body) => { body.hidden = body.dataset.setting !== setting; });
    const body = shownBody();
    for (const row of body.rows) {
      row.hidden = !kinds.has(row.dataset.kind) || (row.dataset.apart !== "" && !apart.has(row.dataset.apart));
    }
    for (const cell of all("[data-metric]", table)) cell.hidden = !metrics.has(cell.dataset.metric);
    order(body);
    const count = [...body.rows].filter((row) => !row.hidden).length;
    const by = sorted ? `, sorted by ${sorted.header.textContent.trim()}, ${sorted.descending ? "descending" : "ascending"}` : "";
    status.textContent = `${count} ${count === 1 ? "method" : "methods"} at ${setting}${by}.`;
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

// Only what scrolls need be reached by keyboard, and says that it scrolls.
function tellScrolling(boxes) {
  const tell = (box) => {
    const scrolls = box.scrollWidth > box.clientWidth;
    const label = box.dataset.label;
    box.setAttribute("aria-label", scrolls ? `${label}, scrolls sideways` : label);
    if (scrolls) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  };
  const observer = new ResizeObserver((entries) => {
    new Set(entries.map((entry) => entry.target.closest(".scroll"))).forEach(tell);
  });
  for (const box of boxes) {
    box.dataset.label = box.getAttribute("aria-label");
    tell(box);
    observer.observe(box);
    observer.observe(box.firstElementChild);
  }
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
tellScrolling(all(".scroll"));
openForPrint();
const narrow = matchMedia("(max-width: 68rem)").matches;
if (narrow) document.querySelector(".contents details").open = false;
