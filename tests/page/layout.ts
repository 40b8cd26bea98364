// Rules of layout that can be measured: nothing is covered, cut off, too small to hit or wider than the window.
import type { Page } from "playwright-core";

/** What breaks a rule in what the page shows just now, as sentences. */
export function layoutProblems(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(${findProblems})(${leastTargetPx})`);
}

/** WCAG 2.2, 2.5.8; links within a text are exempt. */
const leastTargetPx = 24;

/** Runs in the page, so it uses nothing from outside. */
const findProblems = `(leastPx) => {
  const problems = [];
  const nameOf = (element) => {
    const words = element.getAttribute("aria-label") ?? element.innerText ?? "";
    return element.tagName.toLowerCase() + " " + JSON.stringify(words.trim().replace(/\\s+/g, " ").slice(0, 50));
  };
  // A modal dialog makes everything else inert.
  const modal = [...document.querySelectorAll("dialog:modal")].at(-1);
  const root = modal ?? document.body;
  const isShown = (element) => {
    const { width, height } = element.getBoundingClientRect();
    const style = getComputedStyle(element);
    return width > 1 && height > 1 && element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
      style.clip === "auto" && style.clipPath === "none" && element.closest("[inert], .hidden-label, .xterm, [aria-hidden=true]") === null;
  };
  // The part of an element that no container around it cuts off.
  const seenPart = (element) => {
    let { left, top, right, bottom } = element.getBoundingClientRect();
    for (let around = element.parentElement; around !== null; around = around.parentElement) {
      if (getComputedStyle(around).overflow === "visible") continue;
      const box = around.getBoundingClientRect();
      left = Math.max(left, box.left); top = Math.max(top, box.top);
      right = Math.min(right, box.right); bottom = Math.min(bottom, box.bottom);
    }
    return { left: Math.max(0, left), top: Math.max(0, top), right: Math.min(innerWidth, right), bottom: Math.min(innerHeight, bottom) };
  };
  const extraPx = document.documentElement.scrollWidth - innerWidth;
  if (extraPx > 0) problems.push("the page is " + extraPx + " px wider than the window");

  const targets = root.querySelectorAll("button, a[href], input, textarea, select, summary, [role=tab], [role=option], [role=menuitem]");
  for (const target of [...targets].filter(isShown)) {
    const box = target.getBoundingClientRect();
    const isInText = target.tagName === "A" && getComputedStyle(target).display.startsWith("inline") && !getComputedStyle(target).display.includes("flex");
    const label = target.closest("label");
    const hit = label === null ? box : label.getBoundingClientRect();
    // Lines of a diff are as high as lines of text where a mouse points at them.
    const isLine = matchMedia("(pointer: fine)").matches && /Comment on (removed )?line/.test(nameOf(target));
    if (!isInText && !isLine && (hit.width < leastPx - 0.5 || hit.height < leastPx - 0.5)) {
      problems.push(nameOf(target) + " is " + Math.round(hit.width) + "×" + Math.round(hit.height) + " px");
    }
    const seen = seenPart(target);
    const isWhole = seen.right - seen.left > box.width - 2 && seen.bottom - seen.top > box.height - 2;
    if (!isWhole) continue;
    const top = document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
    const isHit = top === null || target.contains(top) || top.contains(target) || label?.contains(top) === true;
    // What is open on request may lie over the rest.
    const isBelowOpen = top?.closest(":popover-open") !== null && target.closest(":popover-open") === null;
    // What scrolls goes below a bar that stays.
    const isBelowBar = !isHit && [...document.querySelectorAll("*")].some(
      (element) => element.contains(top) && !element.contains(target) && getComputedStyle(element).position === "sticky",
    );
    if (!isHit && !isInText && !isBelowOpen && !isBelowBar) problems.push(nameOf(target) + " is covered by " + nameOf(top));
  }

  const texts = [...root.querySelectorAll("*")].filter(
    (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "") && isShown(element),
  );
  for (const element of texts) {
    const style = getComputedStyle(element);
    const isCutting = style.overflowX === "hidden" || style.overflowX === "clip";
    if (isCutting && element.scrollWidth > element.clientWidth + 1 && style.textOverflow !== "ellipsis") {
      problems.push(nameOf(element) + " is cut off without an ellipsis");
    }
    // Cut by a container around it, so that nobody can scroll to it.
    const range = document.createRange();
    range.selectNodeContents(element);
    const { right } = style.textOverflow === "ellipsis" ? element.getBoundingClientRect() : range.getBoundingClientRect();
    let isReached = false;
    for (let around = element; around !== null && !isReached; around = around.parentElement) {
      const { overflowX, textOverflow } = getComputedStyle(around);
      isReached = overflowX === "auto" || overflowX === "scroll" || textOverflow === "ellipsis";
      if (!isReached && (overflowX === "hidden" || overflowX === "clip") && right > around.getBoundingClientRect().right + 1.5) {
        problems.push(nameOf(element) + " is cut off by " + (around.className || around.tagName));
        isReached = true;
      }
    }
    if (!isReached && right > innerWidth + 1) problems.push(nameOf(element) + " leaves the window");
  }
  return [...new Set(problems)];
}`;
