// The screens of terminals on a page: their rows, and the place that they are shown in.
import type { Page } from "playwright-core";
import type { Area } from "./pixels.ts";

/** A screen and its place, in CSS pixels. */
export interface ScreenView {
  /** The part of the place that is neither padding nor scrollbar nor scrolled away. */
  readonly view: Area;
  readonly scrollTop: number;
  /** The height of a scrollbar below the rows. */
  readonly barPx: number;
  readonly rows: readonly (Area & { readonly text: string })[];
  readonly cols: number;
  readonly fontPx: number;
  /** The width of a cell in the font of this size. */
  readonly cellPx: number;
}

/** Reads the last screen of a page, or the first one. */
export function readScreen(page: Page, which: "first" | "last" = "last"): Promise<ScreenView> {
  return page.evaluate<ScreenView>(`(() => {
    const screen = [...document.querySelectorAll(".xterm")].at(${which === "first" ? 0 : -1});
    const place = screen.parentElement;
    const area = ({ x, y, width, height }) => ({ x, y, width, height });
    const around = place.getBoundingClientRect();
    const rows = [...screen.querySelectorAll(".xterm-rows > div")];
    return {
      view: {
        x: around.x + px(place, "paddingLeft"),
        y: around.y,
        width: place.clientWidth - px(place, "paddingLeft") - px(place, "paddingRight"),
        height: place.clientHeight,
      },
      scrollTop: place.scrollTop,
      barPx: place.offsetHeight - place.clientHeight,
      rows: rows.map((row) => ({ ...area(row.getBoundingClientRect()), text: row.textContent.trimEnd() })),
      cols: Math.round(rows[0].getBoundingClientRect().width / measure(screen)),
      fontPx: Number.parseFloat(getComputedStyle(rows[0]).fontSize),
      cellPx: measure(screen),
    };
    function px(element, name) {
      return Number.parseFloat(getComputedStyle(element)[name]);
    }
    function measure(screen) {
      const cell = screen.querySelector(".xterm-char-measure-element");
      return cell.getBoundingClientRect().width / cell.textContent.length;
    }
  })()`);
}

/** Whether a row is all in view, from its first to its last pixel. */
export function isInView({ view }: ScreenView, row: Area): boolean {
  return row.y >= view.y && row.y + row.height <= view.y + view.height + 0.5;
}
