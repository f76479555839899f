// The transcript: keeps its scroll position, lights up the evidence of the selected claim, and shows
// below a message what became of it.
const select = (detail) => window.dispatchEvent(new CustomEvent("memguard:select", { detail }));

// Light up the evidence of a claim and, in it, what a guard saw against the claim; of one of its
// findings, or of key facts, the exact place.
function light(pane, claim, scroll, finding) {
  const wanted = (finding ?? "").split(" ").filter(Boolean);
  let first = null;
  let spot = null;
  for (const mark of pane.querySelectorAll("mark")) {
    const best = claim && [mark.dataset.best, mark.dataset.quote].some((ids) => ids.split(" ").includes(claim));
    const more = claim && mark.dataset.more.split(" ").includes(claim);
    const named = [...mark.dataset.finding.split(" "), ...mark.dataset.fact.split(" ")];
    const seen = wanted.some((name) => named.includes(name));
    mark.classList.toggle("mg-best", Boolean(best));
    mark.classList.toggle("mg-more", Boolean(more && !best));
    mark.classList.toggle("mg-against", Boolean(claim) && mark.dataset.against.split(" ").includes(claim));
    mark.classList.toggle("mg-spot", Boolean(seen));
    if (best && !first) first = mark;
    if (seen && !spot) spot = mark;
  }
  first = spot ?? first;
  for (const message of pane.querySelectorAll(".mg-message.mg-lit")) message.classList.remove("mg-lit");
  if (!first) return;
  const message = first.closest(".mg-message");
  message.classList.add("mg-lit");
  if (scroll) {
    const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    const middle = first.getBoundingClientRect().top - pane.getBoundingClientRect().top;
    pane.scrollTo({ top: pane.scrollTop + middle - pane.clientHeight / 3, behavior: calm ? "auto" : "smooth" });
  }
}

// While the run is played: the message that the moment is about, in view.
function point(pane, id) {
  for (const message of pane.querySelectorAll(".mg-message.mg-now")) message.classList.remove("mg-now");
  const message = id == null ? null : pane.querySelector(`[data-message="${CSS.escape(id)}"]`);
  if (!message) return;
  message.classList.add("mg-now");
  message.scrollIntoView({ block: "nearest" });
}

function element(tag, name, text) {
  const made = document.createElement(tag);
  made.className = name;
  made.textContent = text; // all text enters as text
  return made;
}

// A finding is named after its claim: "c3.0".
const claimOf = (finding) => finding.replace(/\.\d+$/, "");

// The claims for which a message is the best evidence or which quote it, for which it is a runner-up, and
// those that a guard compared with it, each in one of the three.
function cited(message) {
  const found = [new Set(), new Set(), new Set()];
  for (const mark of message.querySelectorAll("mark")) {
    const best = `${mark.dataset.best} ${mark.dataset.quote}`;
    const names = [best, mark.dataset.more, mark.dataset.finding].map((text) => text.split(" "));
    names[2] = names[2].map(claimOf);
    names.forEach((ids, place) => ids.forEach((id) => id && found[place].add(id)));
  }
  const [best, more, seen] = found;
  return [[...best], [...more].filter((id) => !best.has(id)), [...seen].filter((id) => !best.has(id) && !more.has(id))];
}

// The first claim that rests on a mark, of those that there are: not every quote has entered the context.
function restsOn(mark) {
  const { best, quote, more, finding } = mark.dataset;
  const claims = [...best.split(" "), ...quote.split(" "), ...more.split(" "), claimOf(finding.split(" ")[0])];
  const ask = { claims: claims.filter(Boolean), checked: false, found: [] };
  window.dispatchEvent(new CustomEvent("memguard:ask", { detail: ask }));
  return ask.found[0]?.id ?? null;
}

function group(box, claims, one, many) {
  if (!claims.length) return;
  box.append(element("p", "", claims.length === 1 ? one : many.replace("#", claims.length)));
  for (const claim of claims) {
    const line = element("button", `mg-fate-claim ${claim.kind}`, "");
    line.type = "button";
    line.dataset.claim = claim.id;
    const words = element("span", "", claim.text);
    words.append(element("em", "", claim.words));
    line.append(element("span", "mg-sign", claim.sign), words);
    box.append(line);
  }
}

// Show what became of a message: the decision, its reason, and the claims that rest on it.
function tell(pane) {
  pane.querySelector(".mg-fate")?.remove();
  const open = pane.memguardOpen;
  const message = open == null ? null : pane.querySelector(`[data-message="${CSS.escape(open)}"]`);
  if (!message) return;
  const box = element("div", "mg-fate", "");
  box.setAttribute("role", "status");
  const why = message.dataset.why;
  box.append(element("p", "", why || "No stage has run yet: press Step."));
  if (why) {
    const [best, more, seen] = cited(message);
    const ask = { claims: [...best, ...more, ...seen], checked: false, found: [] };
    window.dispatchEvent(new CustomEvent("memguard:ask", { detail: ask }));
    if (!ask.checked) box.append(element("p", "", "Claims are checked in stage 2, elimination."));
    else if (!ask.found.length) box.append(element("p", "", "No claim rests on it."));
    const of = (ids) => ask.found.filter((claim) => ids.includes(claim.id));
    group(box, of(best), "Best evidence of one claim:", "Best evidence of # claims:");
    group(box, of(more), "Runner-up evidence of one claim:", "Runner-up evidence of # claims:");
    group(box, of(seen), "A guard compared one claim with it:", "Guards compared # claims with it:");
  }
  message.append(box);
}

function focus(pane, message) {
  if (!message) return;
  for (const other of pane.querySelectorAll('.mg-message[tabindex="0"]')) other.tabIndex = -1;
  message.tabIndex = 0;
  message.focus();
}

export default function ({ data, parentElement }) {
  const pane = parentElement.querySelector(".mg-pane");
  // A pane that the page made anew opens what was open in the one before it.
  const before = window.memguardOpened;
  if (pane.memguardHtml === undefined && before?.conversation === data.conversation) pane.memguardOpen = before.message;
  if (pane.memguardHtml !== data.html) {
    const top = pane.scrollTop;
    pane.innerHTML = data.html;
    pane.memguardHtml = data.html;
    pane.scrollTop = top;
    tell(pane);
    light(pane, data.selected, false, pane.memguardFinding);
  }
  point(pane, data.at);
  pane.tabIndex = 0;
  pane.setAttribute("role", "region");
  pane.setAttribute("aria-label", "Transcript");
  const toggle = (message, open) => {
    const id = message.dataset.message;
    pane.memguardOpen = open || pane.memguardOpen !== id ? id : null;
    window.memguardOpened = { conversation: data.conversation, message: pane.memguardOpen };
    tell(pane);
    message.querySelector(".mg-fate")?.scrollIntoView({ block: "nearest" });
  };
  const onSelect = (event) => {
    pane.memguardFinding = event.detail.finding ?? null;
    light(pane, event.detail.claim, event.detail.scroll, pane.memguardFinding);
  };
  const onClick = (event) => {
    const told = event.target.closest(".mg-fate-claim");
    if (told) return select({ claim: told.dataset.claim, scroll: false, from: "transcript" });
    const message = event.target.closest(".mg-message");
    if (!message || event.target.closest(".mg-fate") || window.getSelection()?.toString()) return undefined;
    const mark = event.target.closest("mark");
    const claim = mark && restsOn(mark);
    toggle(message, Boolean(claim));
    if (claim) select({ claim, scroll: false, from: "transcript" });
    return undefined;
  };
  const onKey = (event) => {
    const message = event.target;
    if (!message.classList.contains("mg-message")) return;
    if (event.key === "Enter" || event.key === " ") toggle(message, false);
    else if (event.key === "ArrowDown") focus(pane, message.nextElementSibling);
    else if (event.key === "ArrowUp") focus(pane, message.previousElementSibling);
    else return;
    event.preventDefault();
  };
  // Streamlit calls this function at each change of data and its cleanup only at the end: so the
  // handlers are replaced, never added.
  pane.onclick = onClick;
  pane.onkeydown = onKey;
  const deafen = () => {
    window.removeEventListener("memguard:select", pane.memguardSelect);
    window.removeEventListener("memguard:results", pane.memguardResults);
  };
  deafen();
  pane.memguardSelect = onSelect;
  pane.memguardResults = () => tell(pane);
  window.addEventListener("memguard:select", pane.memguardSelect);
  window.addEventListener("memguard:results", pane.memguardResults);
  return deafen;
}
