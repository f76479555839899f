// A text area over a drawing of its own text: the drawing shows verdicts, the area is typed in.
const QUIET_MS = 400;

function build(root) {
  const back = document.createElement("div");
  back.className = "mg-editor-back";
  back.setAttribute("aria-hidden", "true");
  const area = document.createElement("textarea");
  area.className = "mg-editor-text";
  area.dir = "auto";
  area.spellcheck = false;
  root.replaceChildren(back, area);
}

// What was typed is drawn as text, until the server has judged it.
function plain(back, text) {
  back.textContent = `${text}\u200b`;
}

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".mg-editor");
  if (!root.firstChild) build(root);
  const [back, area] = root.children;
  area.setAttribute("aria-label", data.label);
  if (root.memguardEpoch !== data.epoch) {
    // The server's word: another summary, or drift put into this one.
    clearTimeout(root.memguardTimer);
    root.memguardTimer = undefined;
    root.memguardEpoch = data.epoch;
    root.memguardTurn = Math.max(root.memguardTurn ?? 0, data.heard);
    area.value = data.text;
  }
  if (area.value === data.text) back.innerHTML = `${data.html}\u200b`;
  else plain(back, area.value);

  const send = () => {
    clearTimeout(root.memguardTimer);
    root.memguardTimer = undefined;
    root.memguardTurn += 1;
    setStateValue("typed", { text: area.value, epoch: root.memguardEpoch, turn: root.memguardTurn });
  };
  area.oninput = () => {
    plain(back, area.value);
    clearTimeout(root.memguardTimer);
    root.memguardTimer = setTimeout(send, QUIET_MS);
  };
  // A change that is still waiting is sent when the area is left: nothing typed is lost.
  area.onblur = () => {
    if (root.memguardTimer !== undefined) send();
  };
}
