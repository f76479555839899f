"""Contrast and labels on every page, measured in the browser in both themes (issue 4, Standards)."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from tests.e2e.serving import Scheme, Server, open_page

pytestmark = pytest.mark.browser
PAGES = (
    "",
    "dropped",
    "tuning",
    "tuning?part=budget",
    "map",
    "drift_lab",
    "drift_lab?mode=rates",
    "memory",
    "audit",
)
LINK = "tour=off&sample=support_refund&stages=3&elimination.min_support=0.8"
_LOW = """() => {
  const parse = (colour) => {
    const parts = colour.match(/[\\d.]+/g).map(Number);
    const scale = colour.startsWith("color(") ? 255 : 1;
    return [...parts.slice(0, 3).map((part) => part * scale), parts[3] ?? 1];
  };
  const light = (colour) => {
    const linear = (v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = colour.map((v) => linear(v / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const over = (top, ground) => [0, 1, 2].map((i) => top[i] * top[3] + ground[i] * (1 - top[3]));
  const groundOf = (element) => {
    const layers = [];
    for (let node = element; node; node = node.parentElement) {
      layers.push(parse(getComputedStyle(node).backgroundColor));
      if (layers.at(-1)[3] === 1) break;
    }
    return layers.reverse().reduce((ground, layer) => over(layer, ground), [255, 255, 255]);
  };
  const found = {};
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    const words = texts.currentNode.data.trim();
    const isShown = words && element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
    // A slider's value stands above the thumb that holds it; what is switched off or hidden is exempt.
    const exempt = "style, script, svg, [disabled], [aria-disabled=true], [aria-hidden=true], " +
      "[data-testid=stSlider]";
    if (!isShown || element.closest(exempt)) continue;
    const ground = groundOf(element);
    const front = over(parse(getComputedStyle(element).color), ground);
    const [a, b] = [light(front), light(ground)];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) found[`${element.className || element.tagName}: ${words.slice(0, 40)}`] = ratio;
  }
  return found;
}"""
_NAMELESS = """() => [...document.querySelectorAll("input, textarea, button, [role=slider], [role=combobox]")]
  .filter((one) => one.checkVisibility() && !(one.getAttribute("aria-label") || one.title
    || one.labels?.length || one.getAttribute("aria-labelledby") || one.innerText?.trim()))
  .map((one) => one.outerHTML.slice(0, 120))"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_has_contrast_and_every_control_a_name(
    browser: Browser, server: Server, scheme: Scheme
) -> None:
    """WCAG 2.2 AA, 1.4.3 and 4.1.2."""
    for name in PAGES:
        page = open_page(browser, f"{server.url}/{name}{'&' if '?' in name else '?'}{LINK}", scheme=scheme)
        page.wait_for_function("!document.querySelector('[data-testid=stProgress]')")
        page.wait_for_timeout(1_000)
        assert page.evaluate(_LOW) == {}, name
        assert page.evaluate(_NAMELESS) == [], name
        page.context.close()
