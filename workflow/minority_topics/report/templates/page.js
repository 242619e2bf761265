// Without this script the page is whole but for the leaderboard, which then shows its first setting
// alone; the table that it links to has the others.

function leaderboard(table, form, status) {
  const bodies = all("tbody", table);
  const headers = all("thead th", table);
  const sorting = sortButtons(headers, update);

  const chosen = (name) => new Set(all(`input[name="${name}"]:checked`, form).map((box) => box.value));
  const shownBody = () => bodies.find((body) => !body.hidden);

  function update() {
    const setting = form.elements.setting ? form.elements.setting.value : bodies[0].dataset.setting;
    const kinds = chosen("kind"), apart = chosen("apart"), metrics = chosen("metric");
    bodies.forEach((body) => { body.hidden = body.dataset.setting !== setting; });
    const body = shownBody();
    for (const row of body.rows) {
      row.hidden = !kinds.has(row.dataset.kind) || (row.dataset.apart !== "" && !apart.has(row.dataset.apart));
    }
    for (const cell of all("[data-metric]", table)) cell.hidden = !metrics.has(cell.dataset.metric);
    orderRows(body, sorting);
    const count = [...body.rows].filter((row) => !row.hidden).length;
    status.textContent = `${counted(count, "method")} at ${setting}${sortedBy(sorting)}.`;
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

const board = document.getElementById("board");
if (board) leaderboard(board, document.getElementById("board-filters"), document.getElementById("board-status"));
followReader(all(".contents a"));
tellScrolling(all(".scroll"));
openForPrint();
const narrow = matchMedia("(max-width: 68rem)").matches;
if (narrow) document.querySelector(".contents details").open = false;
