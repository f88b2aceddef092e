"use strict";
(() => {
  const data = JSON.parse(document.getElementById("values").textContent);
  const byId = (id) => document.getElementById(id);
  const size = data.name.length;
  const lower = data.name.map((name) => name.toLowerCase());
  const collator = new Intl.Collator(undefined, { numeric: true });
  const sketched = Object.keys(data.sketch).length > 0;
  const chosen = (i) => data.bh[i] !== null && data.bh[i] <= data.fdr;
  const digits = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
  const state = { key: "p", up: true, page: 0, rows: [] };

  const power = (value, precision) => {
    const [mantissa, exponent] = value.toExponential(precision).split("e");
    const raised = [...String(Number(exponent))].map((c) => digits[c]).join("");
    return `${mantissa.replace("-", "−")} × 10${raised}`;
  };
  const pText = (value) => {
    if (value === null) return "–";
    if (value < 1e-16) return "< 10⁻¹⁶";
    if (value < 9.995e-4) return power(value, 1);
    return value.toFixed(3);
  };
  const shown = (value, i) => {
    const bound = data.bound[i];
    const atMost = bound !== null && value <= 1.000001 * bound;
    return atMost ? `≤ ${numberText(Number(bound.toPrecision(2)))}` : pText(value);
  };
  const adjusted = (value, i, label) => {
    const made = cell(shown(value, i), "n", label);
    if (data.model[i]) {
      const star = document.createElement("span");
      star.className = "star";
      star.textContent = "*";
      made.append(star);
    }
    return made;
  };
  const numberText = (value) => {
    if (value === null) return "–";
    const size = Math.abs(value);
    if (size !== 0 && (size < 1e-4 || size >= 1e6)) return power(value, 3);
    return String(Number(value.toPrecision(4))).replace("-", "−");
  };

  const short = (name, most) => {
    const half = most >> 1;
    return name.length > most ? `${name.slice(0, half)}…${name.slice(half + 1 - most)}` : name;
  };

  // The data come in the order of p, where the smallest count as equal and are in that of their effects.
  const sorted = (rows) => {
    const values = data[state.key];
    const sign = state.up ? 1 : -1;
    return rows.sort((a, b) => {
      const u = values[a], v = values[b];
      if (u === v) return a - b;
      if (u === null) return 1; // what was not tested comes last, either way
      if (v === null) return -1;
      if (state.key === "p") return sign * (a - b);
      return sign * (typeof u === "string" ? collator.compare(u, v) : u - v) || a - b;
    });
  };

  const select = () => {
    const wanted = byId("search").value.trim().toLowerCase();
    const only = byId("only").checked;
    const rows = [];
    for (let i = 0; i < size; i++) {
      if ((!only || chosen(i)) && (!wanted || lower[i].includes(wanted))) rows.push(i);
    }
    state.rows = sorted(rows);
    state.page = 0;
    show();
  };

  const cell = (text, kind, label) => {
    const td = document.createElement("td");
    if (kind) td.className = kind;
    if (label) td.dataset.label = label;
    td.append(text);
    return td;
  };
  const shape = (name, attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };
  const sketch = (i) => {
    const points = data.sketch[i];
    if (!points) return "";
    const svg = shape("svg", { class: "sketch", viewBox: "0 0 64 20", "aria-hidden": "true" });
    if (points[0].length === 2) svg.append(shape("polyline", { points: points.map((p) => p.join(",")).join(" ") }));
    else {
      points.forEach(([x, low, median, high, group]) => {
        const colour = `c${Math.min(group, 6)}`;
        svg.append(shape("line", { x1: x, x2: x, y1: low, y2: high, class: colour }));
        svg.append(shape("circle", { cx: x, cy: median, r: 2.4, class: colour }));
      });
    }
    return svg;
  };
  const line = (i) => {
    const tr = document.createElement("tr");
    if (chosen(i)) tr.className = "chosen";
    const name = document.createElement("bdi");
    name.textContent = short(data.name[i], 80);
    if (name.textContent !== data.name[i]) name.title = data.name[i];
    const p = cell(shown(data.p[i], i), "n", "p");
    tr.append(cell(String(data.place[i]), "n place"), cell(name, "w"));
    if (data.effect === null) tr.append(cell(numberText(data.statistic[i]), "n", "Statistic"));
    else {
      const size = data.effect[i] === null ? "–" : data.effect[i].toFixed(3);
      if (sketched) tr.append(cell(sketch(i), "look"));
      tr.append(cell(size, "n", "Effect"));
    }
    const ways = data.change ?? data.direction;
    if (ways) {
      const way = document.createElement("bdi");
      way.textContent = chosen(i) ? short(ways[i], data.change ? 60 : 32) : "";
      tr.append(cell(way, "t", data.change ? "Change" : "Direction"));
    }
    tr.append(p, adjusted(data.bh[i], i, "p, BH"));
    if (!data.change) tr.append(adjusted(data.by[i], i, "p, BY"));
    return tr;
  };

  const pages = () => Math.max(1, Math.ceil(state.rows.length / data.page));
  const show = () => {
    const start = state.page * data.page;
    const rows = state.rows.slice(start, start + data.page);
    document.querySelector("#table tbody").replaceChildren(...rows.map(line));
    byId("count").textContent = `${state.rows.length.toLocaleString("en")} of ${size.toLocaleString("en")}`;
    byId("where").textContent = `page ${state.page + 1} of ${pages()}`;
    byId("first").disabled = byId("back").disabled = state.page === 0;
    byId("next").disabled = byId("last").disabled = state.page + 1 >= pages();
    byId("pager").hidden = pages() === 1;
    for (const head of document.querySelectorAll("#table th[data-key]")) {
      const mine = head.dataset.key === state.key;
      head.setAttribute("aria-sort", mine ? (state.up ? "ascending" : "descending") : "none");
    }
  };
  // On paper there are no pages to turn: it has every selected row, and those on the page that is shown.
  window.addEventListener("beforeprint", () => {
    const start = state.page * data.page;
    const rows = state.rows.filter((i, k) => chosen(i) || (k >= start && k < start + data.page));
    const hidden = [];
    for (let i = 0; i < size; i++) if (chosen(i)) hidden.push(i);
    const there = new Set(rows);
    const every = sorted([...rows, ...hidden.filter((i) => !there.has(i))]);
    document.querySelector("#table tbody").replaceChildren(...every.map(line));
  });
  window.addEventListener("afterprint", show);
  const turn = (page) => {
    state.page = Math.min(Math.max(page, 0), pages() - 1);
    show();
  };

  const quoted = (value) => {
    const text = value === null || value === undefined ? "" : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const table = () => {
    const keys = ["name", "place", "statistic", "effect", "direction", "change", "p", "bound", "bh", "by"].filter((k) => data[k]);
    const named = { name: "column", p: "pvalue", bh: "adjusted_bh", by: "adjusted_by" };
    const lines = [keys.map((key) => named[key] ?? key), ...state.rows.map((i) => keys.map((key) => data[key][i]))];
    return lines.map((cells) => cells.map(quoted).join(",")).join("\n") + "\n";
  };
  byId("download").addEventListener("click", () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([table()], { type: "text/csv" }));
    link.download = "screen.csv";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });

  for (const head of document.querySelectorAll("#table th[data-key]")) {
    head.querySelector("button").addEventListener("click", () => {
      state.up = head.dataset.key === state.key ? !state.up : !["statistic", "effect"].includes(head.dataset.key);
      state.key = head.dataset.key;
      select();
    });
  }
  byId("search").addEventListener("input", select);
  byId("only").addEventListener("change", select);
  byId("first").addEventListener("click", () => turn(0));
  byId("back").addEventListener("click", () => turn(state.page - 1));
  byId("next").addEventListener("click", () => turn(state.page + 1));
  byId("last").addEventListener("click", () => turn(pages()));
  byId("controls").hidden = false;

  const plot = byId("plot");
  const [ring, label] = byId("hover").children;
  const width = plot.viewBox.baseVal.width;
  let current = -1;
  const point = (i) => {
    if (i < 0 || i >= size || data.y[i] === null) return;
    current = i;
    const [x, y] = [data.x[i], data.y[i]];
    ring.setAttribute("cx", x);
    ring.setAttribute("cy", y);
    label.textContent = short(data.name[i], 40);
    label.setAttribute("x", x);
    label.setAttribute("y", y < 40 ? y + 24 : y - 12);
    label.setAttribute("text-anchor", x > 0.75 * width ? "end" : x < 0.25 * width ? "start" : "middle");
    byId("status").textContent = `${data.name[i]}: p ${data.bound[i] === null ? "= " : ""}${shown(data.p[i], i)}, adjusted (BH) ${shown(data.bh[i], i)}`;
  };
  plot.addEventListener("pointermove", (event) => {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(plot.getScreenCTM().inverse());
    let best = -1, least = 24 * 24;
    for (let i = 0; i < size; i++) {
      if (data.y[i] === null) continue;
      const away = (data.x[i] - at.x) ** 2 + (data.y[i] - at.y) ** 2;
      if (away < least) [best, least] = [i, away];
    }
    point(best);
  });
  plot.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    point(Math.max(0, current + step));
  });
  select();
})();
