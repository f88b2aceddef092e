// Right-aligns columns of numbers, so that digits stand below each other.
document$.subscribe(function () {
  const numeric = /^[<≤>≥~±+\-−]?\s*[\d.,]+(\s*(%|s|ms|x|×|MB|GB|MiB|GiB))?(\s*(±|\().*)?$/;
  document.querySelectorAll(".md-typeset table:not([class])").forEach(function (table) {
    const rows = Array.from(table.tBodies).flatMap((body) => Array.from(body.rows));
    const width = table.tHead ? table.tHead.rows[0].cells.length : 0;
    for (let k = 0; k < width; k++) {
      const cells = rows.map((row) => row.cells[k]).filter(Boolean);
      const known = cells.map((cell) => cell.textContent.trim()).filter((text) => text && text !== "-");
      if (known.length && known.every((text) => numeric.test(text))) {
        cells.concat([table.tHead.rows[0].cells[k]]).forEach((cell) => cell.classList.add("number"));
      }
    }
  });
});
