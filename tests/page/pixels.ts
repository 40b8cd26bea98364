// What is really drawn on a page, read from its pixels.
import type { Page } from "playwright-core";

/** A part of the page, in CSS pixels. */
export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** How many pixels of each line of an area differ from its first pixel, from top to bottom; at a device pixel ratio of 1. */
export async function inkPerLine(page: Page, area: Area): Promise<number[]> {
  const image = await page.screenshot({ clip: area });
  return page.evaluate<number[]>(`(async () => {
    const bytes = Uint8Array.from(atob("${image.toString("base64")}"), (letter) => letter.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
    context.drawImage(bitmap, 0, 0);
    const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
    const differs = (at) => Math.abs(data[at] - data[0]) + Math.abs(data[at + 1] - data[1]) > 120;
    return Array.from({ length: bitmap.height }, (_, y) => {
      let ink = 0;
      for (let x = 0; x < bitmap.width; x += 1) if (differs(4 * (y * bitmap.width + x))) ink += 1;
      return ink;
    });
  })()`);
}
