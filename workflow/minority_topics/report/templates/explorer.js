// Lists and tables are in the page; this script adds what is opened: a topic with its charts and
// comments, the search and the order. Data becomes text nodes and attributes, never markup.

const data = JSON.parse(document.getElementById("data").textContent);
const byNumber = new Map(data.topics.map((topic) => [topic.topic, topic]));
const items = new Map(all(".item").map((item) => [Number(item.dataset.topic), item]));
const explore = document.getElementById("explore");
const detail = document.getElementById("detail");
const controls = document.getElementById("controls");
const searchBox = document.getElementById("search");
const FIRST_COMMENTS = 6;
const STRIDES = [1, 2, 3, 6, 12, 24, 52, 104, 260, 520]; // periods from one label of an axis to the next
const SVG = "http://www.w3.org/2000/svg";

function node(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.flat(2).filter((child) => child !== null && child !== ""));
  return element;
}
const h = (tag, attributes = {}, ...children) => node(document.createElement(tag), attributes, children);
const s = (tag, attributes = {}, ...children) => node(document.createElementNS(SVG, tag), attributes, children);
const bdi = (text, attributes = {}) => h("bdi", attributes, text);
const speech = data.language ? { lang: data.language } : {};

function percent(share) {
  if (share === null) return "\u2013";
  if (share > 0 && share < 5e-5) return "< 0.01%";
  return `${(100 * share).toFixed(share >= 0.9995 || !share ? 0 : share >= 0.00995 ? 1 : 2)}%`;
}
const range = (low, high) => (low === null || high === null ? "" : `${percent(low)} to ${percent(high)}`);
const whole = (count) => (count === null ? "\u2013" : count.toLocaleString("en"));
const fold = (text) => text.normalize("NFC").toLowerCase();
const plain = (segments) => segments.map((piece) => (typeof piece === "string" ? piece : piece[1] === "cut" ? "" : piece[0])).join("");

// ---- a topic ----

// A piece of text in which what was searched for is marked.
function found(text, query) {
  const folded = fold(text);
  if (!query || folded.length !== text.length) return [text];
  const parts = [];
  let done = 0;
  for (let at = folded.indexOf(query); at >= 0; at = folded.indexOf(query, done)) {
    parts.push(text.slice(done, at), h("mark", { class: "found" }, text.slice(at, at + query.length)));
    done = at + query.length;
  }
  parts.push(text.slice(done));
  return parts.filter((part) => part !== "");
}

const marked = (segments, query) => segments.flatMap((piece) => {
  if (typeof piece === "string") return found(piece, query);
  const [text, kind] = piece;
  return kind === "cut" ? h("span", { class: "cut" }, `${text} [cut]`) : h("mark", { class: kind }, found(text, query));
});

function facts(topic) {
  const pairs = [
    ["prevalence", percent(topic.prevalence), range(topic.low, topic.high)],
    ["comments have it as main topic", whole(topic.documents)],
    ["of its weight is seed words", topic.seed_share === null ? null : percent(topic.seed_share)],
    ["stability over fits", topic.stability === null ? null : topic.stability.toFixed(2)],
  ];
  return h("dl", { class: "stats" }, pairs.filter(([, value]) => value !== null)
    .map(([name, value, more]) => h("div", {}, h("dt", {}, name), h("dd", {}, value, more ? [" ", h("span", {}, more)] : null))));
}

const bar = (share) => s("svg", { class: "bar", viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" },
  s("rect", { class: "rail", width: 100, height: 6 }), s("rect", { class: "fill", width: Math.max(0, Math.min(100, 100 * share)) || 0, height: 6 }));

function wordBars(topic) {
  const column = controls.elements.words.value === "weight" ? 1 : 2;
  const words = [...topic.words].sort((a, b) => b[column] - a[column]);
  const top = Math.max(...words.map((word) => word[column] ?? 0), 0) || 1;
  return h("ol", { class: "word-bars", ...speech }, words.map((word) => h("li", {},
    word[3] ? h("b", { class: "seed" }, bdi(word[0]), h("span", { class: "hidden-text", lang: "en" }, " (seed word)")) : bdi(word[0]),
    bar((word[column] ?? 0) / top))));
}

// Round steps of an axis from zero to the top, each with its label.
function ticks(top) {
  const rough = top / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((times) => times * power).find((size) => size >= rough);
  const digits = Math.max(0, -Math.floor(Math.log10(100 * step * 1.0001)));
  return Array.from({ length: Math.floor(top / step * 1.0001) + 1 }, (_, place) => [place * step, `${(100 * place * step).toFixed(place ? digits : 0)}%`]);
}

// Stretches of a trend without a gap, as lists of places.
function stretches(values) {
  const runs = [];
  values.forEach((value, place) => {
    if (value === null) return;
    if (place && values[place - 1] !== null) runs.at(-1).push(place);
    else runs.push([place]);
  });
  return runs;
}

function trendChart(topic, width) {
  const height = 190, left = 52, right = 12, top = 10, bottom = 26;
  const values = topic.trend, n = values.length;
  const highest = Math.max(...values.flat().filter((value) => value !== null), 0) || 0.01;
  const x = (place) => left + (n === 1 ? 0.5 : place / (n - 1)) * (width - left - right);
  const y = (share) => top + (1 - share / highest) * (height - top - bottom);
  const at = (place, share) => `${x(place).toFixed(1)} ${y(share).toFixed(1)}`;
  const slot = (width - left - right) / Math.max(1, n - 1);
  const every = STRIDES.find((stride) => n / stride <= (width - left) / 84) ?? n;
  const known = values.map((value, place) => ({ value, place })).filter(({ value }) => value);
  const peak = known.reduce((best, one) => (one.value[0] > best.value[0] ? one : best));
  const name = (place) => data.periods[place][0];
  const label = `Prevalence by ${data.period || "period"}: ${percent(known[0].value[0])} in ${name(known[0].place)}, `
    + `${percent(known.at(-1).value[0])} in ${name(known.at(-1).place)}, highest ${percent(peak.value[0])} in ${name(peak.place)}.`;
  return s("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label },
    ticks(highest).map(([share, text]) => [
      s("line", { class: "grid", x1: left, x2: width - right, y1: y(share), y2: y(share) }),
      s("text", { x: left - 8, y: y(share), dy: ".35em", "text-anchor": "end" }, text)]).flat(),
    known.map(({ value, place }) => s("rect", { class: "hit", x: x(place) - slot / 2, width: slot, y: top, height: height - top - bottom },
      s("title", {}, `${name(place)}: ${percent(value[0])}${value[1] === null ? "" : ` (${range(value[1], value[2])})`}, ${counted(data.periods[place][1] ?? 0, "comment")}`))),
    stretches(values.map((value) => (value && value[1] !== null && value[2] !== null ? value : null))).map((run) => s("path", { class: "band",
      d: `M${run.map((place) => at(place, values[place][2])).join("L")}L${[...run].reverse().map((place) => at(place, values[place][1])).join("L")}Z` })),
    stretches(values).map((run) => (run.length === 1
      ? s("circle", { class: "dot", cx: x(run[0]), cy: y(values[run[0]][0]), r: 3 })
      : s("path", { class: "line", d: `M${run.map((place) => at(place, values[place][0])).join("L")}` }))),
    data.periods.map(([period], place) => (place % every ? null
      : s("text", { x: x(place), y: height - 8, "text-anchor": place === 0 && n > 1 ? "start" : place === n - 1 && n > 1 ? "end" : "middle" }, period))));
}

function numbersTable(topic) {
  const head = ["Period", "Comments", "Prevalence", "Interval"].map((name, place) => h("th", { scope: "col", class: place ? "n" : null }, name));
  const rows = topic.trend.map((value, place) => h("tr", {},
    h("th", { scope: "row" }, data.periods[place][0]), h("td", { class: "n" }, whole(data.periods[place][1])),
    h("td", { class: "n" }, percent(value && value[0])), h("td", { class: "n" }, value ? range(value[1], value[2]) : "")));
  return h("table", { class: "groups" }, h("caption", { class: "hidden-text" }, "Prevalence over time"), h("thead", {}, h("tr", {}, head)), h("tbody", {}, rows));
}

let drawTrend = null; // draws the chart that is open at another width
const widths = new ResizeObserver(() => drawTrend && drawTrend());

function trend(topic) {
  if (!topic.trend.some((value) => value !== null)) return null;
  const box = h("div", { class: "chart-box" });
  let drawn = 0;
  drawTrend = () => {
    const width = Math.round(Math.max(280, box.clientWidth));
    if (width === drawn) return;
    drawn = width;
    box.replaceChildren(trendChart(topic, width));
  };
  widths.disconnect();
  widths.observe(box);
  const numbers = h("details", {}, h("summary", {}, "Numbers of this chart"),
    h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Numbers of the chart" }, numbersTable(topic)));
  return h("div", {}, h("h4", {}, "Over time ", h("span", {}, `mean share by ${data.period || "period"}, with interval`)), box, numbers);
}

function groupPlot(value, mean, top) {
  const across = (share) => 100 * Math.min(1, share / top);
  const upright = (kind, share, y1, y2) => s("line", { class: kind, x1: across(share), x2: across(share), y1, y2 });
  return s("svg", { class: "plot", viewBox: "0 0 100 16", preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" },
    mean === null ? null : upright("mean", mean, 0, 16),
    value[2] === null || value[3] === null ? null : s("line", { class: "range", x1: across(value[2]), x2: across(value[3]), y1: 8, y2: 8 }),
    upright("point", value[1], 3, 13));
}

function groups(topic) {
  const known = topic.groups.map((value, place) => [data.groups[place], value]).filter(([, value]) => value);
  if (!known.length) return null;
  const top = Math.max(...known.flatMap(([, value]) => value.slice(1)).filter((share) => share !== null), topic.prevalence ?? 0) || 1;
  const rows = known.map(([name, value]) => h("tr", {}, h("th", { scope: "row" }, bdi(name), h("span", { class: "interval" }, counted(value[0] ?? 0, "comment"))),
    value[1] === null
      ? [h("td", { colspan: 2, class: "soft" }, "too few comments to show")]
      : [h("td", {}, groupPlot(value, topic.prevalence, top)), h("td", { class: "n" }, percent(value[1]), h("span", { class: "interval" }, range(value[2], value[3])))]));
  return h("div", {}, h("h4", {}, "By group ", h("span", {}, "mean share with interval; the thin line is the mean of all")),
    h("table", { class: "groups" }, h("caption", { class: "hidden-text" }, "Prevalence by group"),
      h("thead", { class: "hidden-text" }, h("tr", {}, h("th", { scope: "col" }, "Group"), h("th", { scope: "col" }, "Chart"), h("th", { scope: "col" }, "Prevalence"))), h("tbody", {}, rows)));
}

function comment(example, query) {
  const parts = [example.date, example.group].filter(Boolean).flatMap((part) => [bdi(part), h("span", { "aria-hidden": "true" }, " \u00b7 ")]);
  return h("li", {},
    example.text.length ? h("p", { class: "text", dir: "auto", ...speech }, marked(example.text, query)) : null,
    h("p", { class: "about" }, parts, `${percent(example.weight)} of it is this topic`, h("span", { "aria-hidden": "true" }, " \u00b7 "), h("span", { class: "id" }, "id ", bdi(example.id))));
}

function comments(topic, query) {
  if (!topic.examples.length) return null;
  // Those that were searched for come first.
  const matches = (example) => Number(Boolean(query) && fold(plain(example.text)).includes(query));
  const examples = [...topic.examples].sort((a, b) => matches(b) - matches(a));
  const list = h("ol", { class: "comments" }, examples.slice(0, FIRST_COMMENTS).map((example) => comment(example, query)));
  const legend = data.texts
    ? h("p", { class: "legend" }, "Marked: ", h("mark", { class: "seed" }, "seed words"), ", ", h("mark", { class: "word" }, "top words of the topic"), ".")
    : h("p", { class: "legend" }, "Texts were left out of the outputs. The ids lead to the comments.");
  const rest = examples.slice(FIRST_COMMENTS);
  const more = rest.length ? h("button", { type: "button", class: "more" }, `Show ${rest.length} more`) : null;
  if (more) more.addEventListener("click", () => {
    const added = rest.map((example) => comment(example, query));
    list.append(...added);
    more.remove();
    added[0].tabIndex = -1;
    added[0].focus();
  });
  return h("div", {}, h("h4", {}, "Example comments ", h("span", {}, "those with the largest share of the topic")), legend, list, more);
}

function nearest(topic) {
  if (!topic.nearest) return null;
  const [number, similarity] = topic.nearest;
  return h("p", { class: "soft" }, "Most similar topic: ", h("a", { href: `#topic-${number}` }, `${number} `, bdi(byNumber.get(number).title)), similarity === null ? "" : `, similarity ${similarity.toFixed(2)}`);
}

function neighbours(topic) {
  const place = data.topics.indexOf(topic);
  const to = (other, text, kind) => (other ? h("a", { class: kind, href: `#topic-${other.topic}` }, text) : null);
  return h("p", { class: "detail-nav" }, h("a", { class: "back", href: "#topics" }, "All topics"),
    to(data.topics[place - 1], "Previous topic", "previous"), to(data.topics[place + 1], "Next topic", "next"));
}

let opened = null;

function show(topic) {
  opened = topic;
  const query = fold(searchBox.value.trim());
  const words = h("div", {}, h("h4", {}, "Words ", h("span", {}, `by ${controls.elements.words.value}`)), wordBars(topic));
  detail.className = `detail ${topic.kind}`;
  detail.replaceChildren(...[neighbours(topic),
    h("h3", { id: "detail-title", tabindex: -1 }, `Topic ${topic.topic}: `, bdi(topic.title, topic.named ? {} : speech), topic.kind === "minority" ? h("span", { class: "tag" }, "minority") : null),
    facts(topic), words, nearest(topic), h("div", { class: "halves" }, ...[trend(topic), groups(topic)].filter(Boolean)), comments(topic, query)].filter(Boolean));
  detail.hidden = false;
  if (drawTrend) drawTrend();
  for (const [number, item] of items) {
    item.classList.toggle("current", number === topic.topic);
    const link = item.querySelector("a");
    if (number === topic.topic) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
  for (const circle of all(".node")) circle.classList.toggle("current", circle.getAttribute("href") === `#topic-${topic.topic}`);
}

// The address says what is open, so that a link to a topic can be kept and sent.
function route(moved) {
  const match = /^#topic-(\d+)$/.exec(location.hash);
  const topic = match && byNumber.get(Number(match[1]));
  explore.classList.toggle("chosen", Boolean(topic));
  if (topic) {
    show(topic);
    const title = document.getElementById("detail-title");
    title.focus({ preventScroll: true });
    title.scrollIntoView({ block: matchMedia("(min-width: 60rem)").matches ? "nearest" : "start" });
  } else if (moved && location.hash === "#topics" && opened) {
    const link = items.get(opened.topic).querySelector("a");
    if (link.checkVisibility()) link.focus();
  } else if (!opened && data.topics.length) show(data.topics[0]);
}

// ---- search, words and order ----

const haystacks = new Map(data.topics.map((topic) => [topic.topic, {
  title: fold(topic.title),
  words: topic.words.map(([word]) => fold(word)).concat(all(".words bdi", items.get(topic.topic)).map((word) => fold(word.textContent))),
  texts: topic.examples.map((example) => fold(plain(example.text))),
}]));
const seedTable = document.getElementById("seed-table");
const seedRows = seedTable ? [...seedTable.tBodies[0].rows].map((row) => ({ row, text: fold(row.textContent), warned: row.classList.contains("warned") })) : [];

function showSeeds(query) {
  if (!seedTable) return 0;
  const only = document.getElementById("only-warnings").checked;
  let count = 0;
  for (const { row, text, warned } of seedRows) {
    row.hidden = (only && !warned) || !text.includes(query);
    count += !row.hidden;
  }
  document.getElementById("seed-status").textContent = query || only
    ? `${count} of ${counted(seedRows.length, "entry").replace("entrys", "entries")} shown${query ? ", those that match the search" : ""}.` : "";
  return count;
}

function search() {
  const query = fold(searchBox.value.trim());
  let byWords = 0, byTexts = 0, shown = 0;
  for (const [number, { title, words, texts }] of haystacks) {
    const item = items.get(number), hits = item.querySelector(".hits");
    const inWords = new Set(words.filter((word) => word.includes(query))).size + title.includes(query);
    const inTexts = texts.filter((text) => text.includes(query)).length;
    item.hidden = Boolean(query) && !inWords && !inTexts;
    hits.hidden = !query || item.hidden;
    hits.textContent = query ? [inWords && "in its words", inTexts && `in ${counted(inTexts, "comment")}`].filter(Boolean).join(", ") : "";
    byWords += Boolean(inWords);
    byTexts += Boolean(inTexts);
    shown += !item.hidden;
  }
  for (const list of all(".topic-list")) {
    list.hidden = ![...list.children].some((item) => !item.hidden);
    list.previousElementSibling.hidden = list.hidden;
  }
  const seeds = showSeeds(query);
  document.getElementById("search-status").textContent = query
    ? `${shown} of ${counted(items.size, "topic")} found: ${byWords} by their words, ${byTexts} by their example comments. ${counted(seeds, "seed entry").replace("entrys", "entries")} found.` : "";
  if (query) explore.classList.remove("chosen");
  const first = all(".item").find((item) => !item.hidden);
  if (opened) show(items.get(opened.topic).hidden && first ? byNumber.get(Number(first.dataset.topic)) : opened);
}

function order() {
  const key = controls.elements.order.value;
  for (const list of all(".topic-list")) {
    const topic = (item) => byNumber.get(Number(item.dataset.topic));
    const compare = (a, b) => (key === "title" ? a.title.localeCompare(b.title) : key === "prevalence" ? b.prevalence - a.prevalence : a.topic - b.topic);
    list.append(...[...list.children].sort((a, b) => compare(topic(a), topic(b))));
  }
}

function chooseWords() {
  const by = controls.elements.words.value;
  for (const kind of ["weight", "exclusivity"]) all(`.words.by-${kind}`).forEach((words) => { words.hidden = kind !== by; });
  if (opened) show(opened);
}

let waiting = 0;
searchBox.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(search, 150);
});
controls.addEventListener("submit", (event) => {
  event.preventDefault();
  clearTimeout(waiting);
  search();
  const first = searchBox.value.trim() && all(".item").find((item) => !item.hidden);
  if (first) location.hash = `#topic-${first.dataset.topic}`;
});
controls.addEventListener("change", ({ target }) => {
  if (target.name === "words") chooseWords();
  if (target.name === "order") order();
});
addEventListener("hashchange", () => route(true));
// The address does not change where it names the topic already.
document.addEventListener("click", ({ target }) => {
  const link = target.closest("a[href^='#topic-']");
  if (link && link.getAttribute("href") === location.hash) route(true);
});

for (const table of all("table.sortable")) {
  const sorting = sortButtons(all("thead th", table), () => orderRows(table.tBodies[0], sorting));
}
const readout = document.getElementById("map-readout");
for (const circle of all(".node")) {
  for (const event of ["pointerenter", "focus"]) circle.addEventListener(event, () => { readout.textContent = circle.getAttribute("aria-label"); });
}
if (seedTable) {
  document.getElementById("seed-filter").hidden = false;
  document.getElementById("only-warnings").addEventListener("change", () => showSeeds(fold(searchBox.value.trim())));
}
controls.reset();
controls.hidden = false;
tellScrolling(all(".scroll"));
openForPrint();
route(false);
