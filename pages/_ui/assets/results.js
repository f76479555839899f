// Paragraph, claims and context in tabs; a claim can be selected by pointer and by keyboard.
const announce = (detail) => window.dispatchEvent(new CustomEvent("memguard:select", { detail }));

function build(root, panes) {
  const bar = document.createElement("div");
  bar.className = "mg-tabs";
  bar.setAttribute("role", "tablist");
  root.replaceChildren(bar);
  for (const pane of panes) {
    const tab = document.createElement("button");
    tab.type = "button";
    tab.className = "mg-tab";
    tab.id = `mg-tab-${pane.name}`;
    tab.dataset.pane = pane.name;
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", `mg-panel-${pane.name}`);
    bar.append(tab);
    const panel = document.createElement("div");
    panel.className = "mg-pane";
    panel.id = `mg-panel-${pane.name}`;
    panel.dataset.pane = pane.name;
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", tab.id);
    panel.tabIndex = 0;
    root.append(panel);
  }
}

// A list whose rows come one by one: only those that changed are drawn anew.
function fill(panel, pane) {
  if (!panel.memguardRows) {
    const list = document.createElement("ol");
    list.className = "mg-claims";
    list.setAttribute("aria-label", pane.label_of_list);
    panel.replaceChildren(list);
    panel.memguardRows = [];
    panel.memguardHtml = null;
  }
  const list = panel.firstElementChild;
  const before = panel.memguardRows;
  let changed = before.length !== pane.rows.length || list.getAttribute("style") !== pane.style;
  list.setAttribute("style", pane.style);
  const holder = document.createElement("template");
  pane.rows.forEach((html, place) => {
    if (before[place] === html) return;
    changed = true;
    holder.innerHTML = html;
    const made = holder.content.firstElementChild;
    if (list.children[place]) list.children[place].replaceWith(made);
    else list.append(made);
  });
  while (list.children.length > pane.rows.length) list.lastElementChild.remove();
  panel.memguardRows = pane.rows;
  return changed;
}

function show(root, name) {
  root.dataset.active = name;
  for (const tab of root.querySelectorAll(".mg-tab")) {
    const active = tab.dataset.pane === name;
    tab.setAttribute("aria-selected", String(active));
    tab.tabIndex = active ? 0 : -1;
  }
  for (const panel of root.querySelectorAll(".mg-pane")) panel.hidden = panel.dataset.pane !== name;
}

function mark(root, claim, facts = null) {
  root.dataset.selected = claim ?? "";
  root.dataset.facts = facts ?? "";
  for (const item of root.querySelectorAll("[data-fact]")) {
    item.classList.toggle("mg-on", Boolean(facts) && item.dataset.fact === facts);
  }
  for (const item of root.querySelectorAll("[data-claim]")) {
    const on = Boolean(claim) && item.dataset.claim === claim;
    item.classList.toggle("mg-on", on);
    item.querySelector(":scope > .mg-claim-main")?.setAttribute("aria-pressed", String(on));
  }
}

function reveal(root, claim) {
  const item = root.querySelector(`.mg-pane:not([hidden]) [data-claim="${CSS.escape(claim)}"]`);
  item?.scrollIntoView({ block: "nearest" });
}

// What became of claims, for whoever asks: the words that stand in the lists of claims and context.
function answer(root, detail) {
  detail.checked = Boolean(root.querySelector(".mg-claim"));
  detail.found = detail.claims.flatMap((id) => {
    const named = `[data-claim="${CSS.escape(id)}"]`;
    const item = root.querySelector(`.mg-claim${named}`);
    if (!item) return [];
    const kind = [...item.classList].find((name) => name.startsWith("mg-") && !["mg-claim", "mg-on"].includes(name));
    const words = item.querySelector(".mg-why b").textContent;
    return [{
      id,
      kind,
      sign: item.querySelector(".mg-sign").textContent,
      text: item.querySelector(".mg-claim-text").textContent,
      words: root.querySelector(`.mg-payload ${named}`) ? `${words}, in the context` : words,
    }];
  });
}

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".mg-results");
  if (!root.firstChild) build(root, data.panes);
  let changed = false;
  for (const pane of data.panes) {
    const tab = root.querySelector(`.mg-tab[data-pane="${pane.name}"]`);
    const label = pane.count == null ? pane.label : `${pane.label} ${pane.count}`;
    if (tab.textContent !== label) tab.textContent = label;
    const panel = root.querySelector(`.mg-pane[data-pane="${pane.name}"]`);
    if (pane.rows) {
      changed = fill(panel, pane) || changed;
      if (data.played) panel.scrollTop = panel.scrollHeight;
      continue;
    }
    panel.memguardRows = null;
    if (panel.memguardHtml === pane.html) continue;
    const top = panel.scrollTop;
    panel.innerHTML = pane.html;
    panel.memguardHtml = pane.html;
    panel.scrollTop = data.played ? panel.scrollHeight : top; // what came last is in view
    changed = true;
  }
  const place = `${data.conversation}:${data.stage}`;
  if (root.dataset.place !== place) {
    root.dataset.place = place;
    show(root, data.opens || data.panes[Math.max(0, data.stage - 1)].name);
  }
  root.classList.toggle("mg-played", Boolean(data.played));
  root.memguardTurn ??= data.turn;
  const chosen = data.selected ?? "";
  if (data.turn >= root.memguardTurn && (root.dataset.selected ?? "") !== chosen) {
    // The server's word: a point picked on a picture, or a new conversation. An answer that has not
    // heard of the last choice made here is late, and no word.
    announce({ claim: data.selected, scroll: true, from: "server" });
    root.dataset.selected = chosen;
    if (chosen && !data.played) reveal(root, chosen);
  }
  mark(root, root.dataset.selected || null, root.dataset.facts || null);

  const choose = (claim, scroll, from, finding = null, facts = null) => {
    mark(root, claim, facts);
    announce({ claim, scroll, from, finding });
    root.memguardTurn += 1;
    setStateValue("chosen", { claim, turn: root.memguardTurn });
  };
  const onClick = (event) => {
    const tab = event.target.closest(".mg-tab");
    if (tab) return show(root, tab.dataset.pane);
    const copy = event.target.closest(".mg-copy");
    if (copy) {
      navigator.clipboard?.writeText(root.querySelector(".mg-copy-text").value).then(() => {
        copy.querySelector("span:last-child").textContent = "Copied";
      });
      return undefined;
    }
    const lost = event.target.closest("[data-fact]");
    if (lost) return choose(null, true, "results", lost.dataset.fact, lost.dataset.fact);
    const item = event.target.closest("[data-claim]");
    if (!item) return undefined;
    if (window.getSelection()?.toString()) return undefined;
    const finding = event.target.closest("[data-finding]");
    if (finding) return choose(item.dataset.claim, true, "results", finding.dataset.finding);
    const same = root.dataset.selected === item.dataset.claim && item.classList.contains("mg-claim");
    return choose(same ? null : item.dataset.claim, true, "results");
  };
  const onKey = (event) => {
    const tab = event.target.closest(".mg-tab");
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (tab && (event.key === "ArrowRight" || event.key === "ArrowLeft")) {
      const tabs = [...root.querySelectorAll(".mg-tab")];
      const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
      show(root, next.dataset.pane);
      next.focus();
      return;
    }
    const pressed = event.target.closest("[role=button]");
    const claim = event.target.closest(".mg-claim-main");
    if (pressed && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      pressed.click();
    } else if (claim && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      const row = claim.parentElement;
      (step > 0 ? row.nextElementSibling : row.previousElementSibling)?.firstElementChild.focus();
    }
  };
  const onSelect = (event) => {
    if (event.detail.from !== "transcript") return;
    if (root.querySelector(".mg-claim")) show(root, "claims");
    choose(event.detail.claim, false, "relay");
    reveal(root, event.detail.claim);
  };
  // Streamlit calls this function at each change of data and its cleanup only at the end: so the
  // handlers are replaced, never added.
  root.onclick = onClick;
  root.onkeydown = onKey;
  const deafen = () => {
    window.removeEventListener("memguard:select", root.memguardSelect);
    window.removeEventListener("memguard:ask", root.memguardAsk);
  };
  deafen();
  root.memguardSelect = onSelect;
  root.memguardAsk = (event) => answer(root, event.detail);
  window.addEventListener("memguard:select", root.memguardSelect);
  window.addEventListener("memguard:ask", root.memguardAsk);
  if (changed) window.dispatchEvent(new CustomEvent("memguard:results"));
  return deafen;
}
