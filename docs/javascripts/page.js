// Right-aligns columns of numbers, and pads their decimals, so that digits stand below each other. What scrolls can be
// scrolled from the keyboard. A printed table, known by the rule below its head, is not wrapped on phones. A thumbnail
// shows the first panel of a wide picture, and the whole of another.
document$.subscribe(function () {
  document.querySelectorAll(".md-typeset__scrollwrap, .md-typeset pre > code").forEach(function (region) {
    new ResizeObserver(function () {
      if (region.scrollWidth > region.clientWidth) region.tabIndex = 0;
      else region.removeAttribute("tabindex");
    }).observe(region);
  });
  const numeric = /^[<≤>≥~±+\-−]?\s*[\d.,]+(\s*(%|s|ms|x|×|MB|GB|MiB|GiB))?(\s*(±|\().*)?$/;
  const plain = /^[<≤>≥~±+\-−]?\s*[\d,]+(?:\.(\d+))?$/;
  document.querySelectorAll(".output pre > code").forEach(function (printed) {
    printed.classList.toggle("columns", /^ *-{20,}$/m.test(printed.textContent));
  });
  document.querySelectorAll(".grid.cards img").forEach(function (picture) {
    const mark = () => picture.classList.toggle("whole", picture.naturalWidth < 1.6 * picture.naturalHeight);
    if (picture.complete) mark();
    else picture.addEventListener("load", mark);
  });
  document.querySelectorAll(".md-typeset table:not([class])").forEach(function (table) {
    const rows = Array.from(table.tBodies).flatMap((body) => Array.from(body.rows));
    const width = table.tHead ? table.tHead.rows[0].cells.length : 0;
    for (let k = 0; k < width; k++) {
      const cells = rows.map((row) => row.cells[k]).filter(Boolean);
      const text = (cell) => cell.textContent.trim();
      const known = cells.filter((cell) => text(cell) && text(cell) !== "-");
      if (!known.length || !known.every((cell) => numeric.test(text(cell)))) continue;
      cells.concat([table.tHead.rows[0].cells[k]]).forEach((cell) => cell.classList.add("number"));
      if (!known.every((cell) => plain.test(text(cell)))) continue;
      const decimals = (cell) => (plain.exec(text(cell))[1] || "").length;
      const most = Math.max(...known.map(decimals));
      known.filter((cell) => decimals(cell) < most).forEach(function (cell) {
        const padding = document.createElement("span");
        padding.className = "padding";
        padding.setAttribute("aria-hidden", "true");
        padding.dataset.digits = (decimals(cell) ? "" : ".") + "0".repeat(most - decimals(cell));
        cell.append(padding);
      });
    }
  });
});
