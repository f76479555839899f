// The transcript: keeps its scroll position, lights up the evidence of the selected claim.
const select = (detail) => window.dispatchEvent(new CustomEvent("memguard:select", { detail }));

function light(pane, claim, scroll) {
  let first = null;
  for (const mark of pane.querySelectorAll("mark")) {
    const best = claim && mark.dataset.best.split(" ").includes(claim);
    const more = claim && mark.dataset.more.split(" ").includes(claim);
    mark.classList.toggle("mg-best", Boolean(best));
    mark.classList.toggle("mg-more", Boolean(more && !best));
    if (best && !first) first = mark;
  }
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

export default function ({ data, parentElement }) {
  const pane = parentElement.querySelector(".mg-pane");
  if (pane.memguardHtml !== data.html) {
    const top = pane.scrollTop;
    pane.innerHTML = data.html;
    pane.memguardHtml = data.html;
    pane.scrollTop = top;
    light(pane, data.selected, false);
  }
  pane.tabIndex = 0;
  pane.setAttribute("role", "region");
  pane.setAttribute("aria-label", "Transcript");
  const onSelect = (event) => light(pane, event.detail.claim, event.detail.scroll);
  const onClick = (event) => {
    const mark = event.target.closest("mark");
    if (!mark) return;
    const claims = (mark.dataset.best || mark.dataset.more).split(" ");
    select({ claim: claims[0], scroll: false, from: "transcript" });
  };
  // Streamlit calls this function at each change of data and its cleanup only at the end: so the
  // handlers are replaced, never added.
  pane.onclick = onClick;
  window.removeEventListener("memguard:select", pane.memguardSelect);
  pane.memguardSelect = onSelect;
  window.addEventListener("memguard:select", onSelect);
  return () => window.removeEventListener("memguard:select", pane.memguardSelect);
}
