// The list of claims: one is selected by pointer, by arrow keys, Home and End.
function reveal(root, row) {
  // Scrolls the list alone: the page stays where it is.
  const [list, line] = [root.getBoundingClientRect(), row.getBoundingClientRect()];
  if (line.top < list.top) root.scrollTop -= list.top - line.top;
  else if (line.bottom > list.bottom) root.scrollTop += line.bottom - list.bottom;
}

function mark(root, claim, scroll) {
  for (const row of root.children) {
    const on = row.dataset.claim === claim;
    row.setAttribute("aria-selected", String(on));
    if (on) {
      root.setAttribute("aria-activedescendant", row.id);
      if (scroll) reveal(root, row);
    }
  }
  root.dataset.selected = claim;
}

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".mg-drops");
  if (root.dataset.html !== data.html) {
    root.innerHTML = data.html;
    root.dataset.html = data.html;
  }
  const heard = Number(root.dataset.turn || 0);
  // An answer to an earlier choice must not undo a later one.
  if (data.turn >= heard || !root.dataset.selected) {
    mark(root, data.selected, root.dataset.selected !== data.selected);
    root.dataset.turn = data.turn;
  }
  const choose = (row) => {
    if (!row || row.dataset.claim === root.dataset.selected) return;
    const turn = Number(root.dataset.turn || 0) + 1;
    root.dataset.turn = turn;
    mark(root, row.dataset.claim, true);
    setStateValue("chosen", { claim: row.dataset.claim, turn });
  };
  root.onclick = (event) => choose(event.target.closest("[data-claim]"));
  root.onkeydown = (event) => {
    const rows = [...root.children];
    const at = rows.findIndex((row) => row.dataset.claim === root.dataset.selected);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    choose(rows[Math.max(0, Math.min(rows.length - 1, to))]);
  };
}
