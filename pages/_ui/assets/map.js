// The transcript beside the map: lights up what is selected, and reports the sentence that is chosen.
// A component of its own tells what to light up, so that a selection never sends the transcript again.
const calm = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

function light(pane, { keys, scroll }) {
  const wanted = new Set(keys);
  let first = null;
  for (const sentence of pane.querySelectorAll(".mg-sentence")) {
    const on = wanted.has(sentence.dataset.key);
    sentence.classList.toggle("mg-on", on);
    sentence.setAttribute("aria-pressed", String(on));
    if (on && !first) first = sentence;
  }
  for (const message of pane.querySelectorAll(".mg-lit")) message.classList.remove("mg-lit");
  if (!first) return;
  first.closest(".mg-message").classList.add("mg-lit");
  if (!scroll) return;
  const above = first.getBoundingClientRect().top - pane.getBoundingClientRect().top;
  pane.scrollTo({ top: pane.scrollTop + above - pane.clientHeight / 3, behavior: calm() ? "auto" : "smooth" });
}

function focus(pane, sentence) {
  if (!sentence) return;
  for (const other of pane.querySelectorAll('.mg-sentence[tabindex="0"]')) other.tabIndex = -1;
  sentence.tabIndex = 0;
  sentence.focus();
}

export default function ({ data, parentElement, setStateValue }) {
  const pane = parentElement.querySelector(".mg-pane");
  if (!pane) {
    // The small component: it only says what to light up.
    window.memguardLit = { keys: data.keys, scroll: true };
    window.dispatchEvent(new CustomEvent("memguard:lit", { detail: window.memguardLit }));
    return undefined;
  }
  if (pane.memguardHtml !== data.html) {
    pane.innerHTML = data.html;
    pane.memguardHtml = data.html;
    const first = pane.querySelector(".mg-sentence");
    if (first) first.tabIndex = 0;
    if (window.memguardLit) light(pane, window.memguardLit);
  }
  pane.setAttribute("role", "region");
  pane.setAttribute("aria-label", "Transcript");
  const choose = (sentence) => {
    light(pane, { keys: [sentence.dataset.key], scroll: false });
    setStateValue("chosen", { key: sentence.dataset.key, turn: Date.now() });
  };
  // Streamlit calls this function at each change of data and its cleanup only at the end: so the
  // handlers are replaced, never added.
  pane.onclick = (event) => {
    const sentence = event.target.closest(".mg-sentence");
    if (sentence && !window.getSelection()?.toString()) choose(sentence);
  };
  pane.onkeydown = (event) => {
    const sentence = event.target.closest(".mg-sentence");
    if (!sentence) return;
    const all = [...pane.querySelectorAll(".mg-sentence")];
    const place = all.indexOf(sentence);
    if (event.key === "Enter" || event.key === " ") choose(sentence);
    else if (event.key === "ArrowDown") focus(pane, all[place + 1]);
    else if (event.key === "ArrowUp") focus(pane, all[place - 1]);
    else return;
    event.preventDefault();
  };
  const deafen = () => window.removeEventListener("memguard:lit", pane.memguardLit);
  deafen();
  pane.memguardLit = (event) => light(pane, event.detail);
  window.addEventListener("memguard:lit", pane.memguardLit);
  return deafen;
}
