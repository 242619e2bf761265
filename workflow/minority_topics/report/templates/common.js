"use strict";

// What both pages do: tables that are sorted by their headers, boxes that scroll, and print.
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const counted = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

// Make a button of every header that says how to sort; the state tells the header in use, if any.
function sortButtons(headers, onSort) {
  const state = { header: null, descending: false, place: -1 };
  for (const [place, header] of headers.entries()) {
    if (!header.dataset.sort) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    button.addEventListener("click", () => {
      // The first click puts the best on top.
      const first = header.dataset.sort === "number" && header.dataset.better !== "lower";
      state.descending = state.header === header ? !state.descending : first;
      state.header = header;
      state.place = place;
      headers.forEach((other) => { if (other.dataset.sort) other.setAttribute("aria-sort", "none"); });
      header.setAttribute("aria-sort", state.descending ? "descending" : "ascending");
      onSort();
    });
    header.append(button);
    header.setAttribute("aria-sort", "none");
  }
  return state;
}

const sortedBy = ({ header, descending }) =>
  header ? `, sorted by ${header.textContent.trim()}, ${descending ? "descending" : "ascending"}` : "";

function orderRows(body, { header, descending, place }) {
  if (!header) return;
  const numeric = header.dataset.sort === "number";
  const sign = descending ? -1 : 1;
  const compare = (a, b) => {
    const [x, y] = [a, b].map((row) => row.cells[place].dataset.value);
    if (x === "" || y === "") return (x === "") - (y === ""); // nothing comes last, either way
    return sign * (numeric ? x - y : x.localeCompare(y));
  };
  body.append(...[...body.rows].sort(compare));
}

// Only what scrolls need be reached by keyboard, and says that it scrolls.
function tellScrolling(boxes) {
  const tell = (box) => {
    const sideways = box.scrollWidth > box.clientWidth, down = box.scrollHeight > box.clientHeight;
    const label = box.dataset.label;
    box.setAttribute("aria-label", sideways ? `${label}, scrolls sideways` : label);
    if (sideways || down) box.tabIndex = 0;
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
