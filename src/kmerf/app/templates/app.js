"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const post = (url, body, headers) =>
    fetch(url, { method: "POST", body, headers, credentials: "same-origin", cache: "no-store" });
  const json = { "Content-Type": "application/json" };

  // The door: the token after the # is posted once, and does not stay in the address.
  if (document.body.hasAttribute("data-door")) {
    const token = location.hash.slice(1);
    if (!token) return;
    history.replaceState(null, "", "/");
    post("/enter", JSON.stringify({ token }), json).then((response) => {
      if (response.ok) location.replace("/");
      else byId("door").textContent = "This key does not fit: open the address that kmerf app printed.";
    });
    return;
  }
  if (location.hash.length > 40) history.replaceState(null, "", "/");

  let version = -1;
  let working = 0;
  let search = "";

  const say = (text) => {
    const message = byId("message");
    message.hidden = !text;
    message.textContent = text;
  };
  const busy = (text) => {
    byId("busy").textContent = text;
  };
  const tell = (text) => { // to those who hear the page
    if (byId("told").textContent !== text) byId("told").textContent = text;
  };

  // Where the focus goes when the part of the page that has it is made anew: the same place, or the nearest that is left.
  const placesOf = (at) => {
    const places = [];
    const data = at.dataset || {};
    const card = data.column === undefined ? "" : `[data-column="${CSS.escape(data.column)}"]`;
    if (at.id) places.push(`#${CSS.escape(at.id)}`);
    if (at.id === "start") places.push("#stop");
    if (at.id === "stop") places.push("#start");
    if (card) places.push(`button${card}[data-use="${data.use}"]`, `button${card}`);
    if (chips(at)) places.push(`#${chips(at).querySelector("input").id}`);
    if (at.closest("section")) places.push(`#${at.closest("section").id}`);
    return places;
  };

  // Parts of the page come whole from the server; focus, open folds and what is being typed stay.
  const last = {};
  const show = (reply) => {
    if (!reply.parts) return;
    const active = document.activeElement;
    const places = placesOf(active);
    const caret = active && active.selectionStart;
    for (const [name, html] of Object.entries(reply.parts)) {
      if (last[name] === html) continue;
      last[name] = html;
      const part = byId(`part-${name}`);
      const open = new Map([...part.querySelectorAll("details[id]")].map((d) => [d.id, d.open]));
      const frame = part.querySelector("iframe");
      part.innerHTML = html;
      for (const [id, was] of open) if (byId(id)) byId(id).open = byId(id).open || was;
      if (name === "answer" && part.querySelector("iframe") && !frame) {
        part.scrollIntoView({ block: "start" });
        tell("The answer is ready.");
      }
      if (name === "columns" && search && byId("search")) {
        byId("search").value = search;
        cards();
      }
    }
    if (!active.isConnected) {
      const place = places.map((each) => document.querySelector(each)).find((each) => each && !each.disabled);
      place?.focus({ preventScroll: true });
      try {
        if (caret !== null) place.setSelectionRange(caret, caret);
      } catch { /* not a text */ }
    }
    version = reply.version;
    document.body.dataset.version = String(version);
    fit();
  };

  const send = async (url, body, headers, words) => {
    working += 1;
    document.body.dataset.working = String(working);
    if (words) busy(words);
    const slow = setTimeout(() => byId("busy").textContent || busy("Working …"), 600);
    try {
      const response = await post(url, body, headers);
      const reply = response.headers.get("content-type")?.startsWith("application/json") ? await response.json() : {};
      say(reply.refused || (response.ok ? "" : "This was refused: start kmerf app again."));
      if (reply.refused) await fetchParts();
      show(reply);
    } catch {
      say("kmerf app has ended: start it again.");
    } finally {
      clearTimeout(slow);
      working -= 1;
      document.body.dataset.working = String(working);
      if (!working) busy("");
    }
  };
  const act = (action, values = {}) => send(`/do/${action}`, JSON.stringify(values), json);
  const fetchParts = async () => {
    const response = await fetch("/parts", { cache: "no-store" });
    if (response.ok) show(await response.json());
    if (!working) busy("");
  };

  const upload = (file, role) => {
    if (!file) return;
    const url = `/file?as=${role}&name=${encodeURIComponent(file.name)}`;
    if (role === "table") {
      search = "";
      if (byId("reading")) byId("reading").open = false;
    }
    send(url, file, { "Content-Type": "application/octet-stream" }, `Reading ${file.name} …`);
  };

  const cards = async (start = 0) => {
    const response = await fetch(`/cards?search=${encodeURIComponent(search)}&start=${start}`, { cache: "no-store" });
    if (!response.ok) return;
    const html = await response.text();
    if (start) {
      byId("more")?.parentElement.remove();
      byId("cards").insertAdjacentHTML("beforeend", html);
    } else {
      byId("cards").innerHTML = html;
      const count = Number(byId("matching")?.dataset.count || 0);
      byId("found").textContent = `${count.toLocaleString("en")} column${count === 1 ? "" : "s"}`;
    }
  };

  const chips = (element) => element.closest("[data-chips]");
  const chosen = (element) => JSON.parse(chips(element).dataset.values);
  const names = () => [...document.querySelectorAll("#names option")].map((o) => o.value);

  // The column of this name, or the only one whose name begins with the text, or has it.
  const columnOf = (text) => {
    const all = names();
    const typed = text.trim().toLowerCase();
    if (all.includes(text)) return text;
    for (const fits of [(name) => name === typed, (name) => name.startsWith(typed), (name) => name.includes(typed)]) {
      const found = all.filter((name) => fits(name.toLowerCase()));
      if (found.length === 1) return found[0];
      if (found.length) return say(`${found.length} columns fit “${text}”: type more of the name.`);
    }
    return say(`There is no column “${text}”.`);
  };
  const add = (input) => {
    const name = input.value && columnOf(input.value);
    if (name) act("ask", { [chips(input).dataset.chips]: [...chosen(input), name] });
  };

  document.addEventListener("change", (event) => {
    const at = event.target;
    const data = at.dataset;
    if (at.id === "file") upload(at.files[0], "table");
    else if (at.id === "other") upload(at.files[0], "other");
    else if (data.set) act("set", { name: data.set, value: at.value });
    else if (data.kind) act("ask", { kind: data.kind });
    else if (data.ask) {
      const value = at.type === "checkbox" ? at.checked : at.list && at.value ? columnOf(at.value) : at.value;
      if (value !== undefined) act("ask", { [data.ask]: value });
    } else if (chips(at)) add(at);
  });

  let typing;
  document.addEventListener("input", (event) => {
    if (event.target.id !== "search") return;
    search = event.target.value;
    clearTimeout(typing);
    typing = setTimeout(() => cards(), 120);
  });

  document.addEventListener("click", (event) => {
    const at = event.target.closest("button, a");
    if (!at) return;
    const data = at.dataset;
    if (data.do) act(data.do);
    else if (data.use) act("column", { column: data.column, use: data.use });
    else if (data.decide) act("decide", { name: data.decide, value: JSON.parse(data.value) });
    else if (data.decline) act("decline", { text: data.decline });
    else if (data.remove !== undefined) {
      act("ask", { [chips(at).dataset.chips]: chosen(at).filter((name) => name !== data.remove) });
    } else if (data.sample) act("ask", { rows: data.sample });
    else if (data.again) act("again", { ...JSON.parse(data.again), number: Number(data.number) });
    else if (data.show) act("show", { number: Number(data.show) });
    else if (data.copy) copy(at, byId(data.copy).textContent);
    else if (data.png) png(data.png, data.name);
    else if (at.id === "more") cards(Number(data.start));
  });

  const copy = async (button, text) => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(button.parentElement.querySelector("pre"));
      button.textContent = "Selected: press Ctrl-C";
    }
  };

  const png = (url, name) => {
    const image = new Image();
    image.onload = () => {
      const canvas = document.createElement("canvas");
      const scale = Math.max(2, 1600 / image.naturalWidth);
      canvas.width = image.naturalWidth * scale;
      canvas.height = image.naturalHeight * scale;
      const pen = canvas.getContext("2d");
      pen.fillStyle = "#ffffff";
      pen.fillRect(0, 0, canvas.width, canvas.height);
      pen.drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => {
        const link = document.createElement("a");
        link.href = URL.createObjectURL(blob);
        link.download = name;
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 1000);
      });
    };
    image.src = url;
  };

  // A report without a script may be measured, and is shown whole.
  const fit = () => {
    const frame = byId("report");
    if (!frame || frame.classList.contains("scripted") || frame.dataset.fitted) return;
    frame.dataset.fitted = "yes";
    const measure = () => {
      const page = frame.contentDocument?.documentElement;
      if (page) frame.height = String(page.querySelector("main")?.getBoundingClientRect().height + 8 || 600);
    };
    frame.addEventListener("load", () => {
      measure();
      new ResizeObserver(measure).observe(frame);
      frame.contentDocument?.addEventListener("toggle", measure, true);
    });
  };

  // Dropping a file anywhere on the page opens it.
  const over = (on) => byId("drop")?.classList.toggle("over", on);
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    over(true);
  });
  document.addEventListener("dragleave", () => over(false));
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    over(false);
    upload(event.dataTransfer.files[0], "table");
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") say("");
    if (event.key !== "Enter" || !event.target.matches(".chips input")) return;
    event.preventDefault();
    add(event.target);
  });

  const stream = new EventSource("/events");
  stream.onmessage = (event) => {
    const state = JSON.parse(event.data);
    if (byId("progress") && state.share !== undefined) {
      byId("progress").value = state.share;
      byId("words").textContent = state.words;
      tell(`${25 * Math.floor(4 * state.share)} % done`);
    }
    if (state.version !== version && !working) fetchParts();
  };
  stream.onerror = () => {
    if (stream.readyState === EventSource.CLOSED) say("kmerf app has ended: start it again.");
  };
  fetchParts();
})();
