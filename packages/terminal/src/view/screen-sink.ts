// Which control function does what to the screen.
import type { ControlParameters } from "./control-parameters.ts";
import type { TextScreen } from "./text-screen.ts";
import type { VtSink } from "./vt-parser.ts";

const PRIVATE_MARKER = "?".charCodeAt(0);
const SOFT_RESET_MARKER = "!".charCodeAt(0);
const ALIGNMENT_MARKER = "#".charCodeAt(0);
const DESIGNATE_G0_MARKER = "(".charCodeAt(0);
const DESIGNATE_G1_MARKER = ")".charCodeAt(0);

/** Carries out on a screen what a parser finds. */
export class ScreenSink implements VtSink {
  readonly #screen: TextScreen;

  constructor(screen: TextScreen) {
    this.#screen = screen;
  }

  printAscii(bytes: Uint8Array, start: number, end: number): void {
    this.#screen.printAscii(bytes, start, end);
  }

  print(codePoint: number): boolean {
    return this.#screen.print(codePoint);
  }

  repeat(count: number): void {
    this.#screen.repeat(count);
  }

  execute(code: number): void {
    const screen = this.#screen;
    switch (code) {
      case 0x08:
        return screen.moveColumns(-1);
      case 0x09:
        return screen.tab();
      case 0x0a:
      case 0x0b:
      case 0x0c:
        return screen.lineFeed();
      case 0x0d:
        return screen.carriageReturn();
      case 0x0e:
        return screen.characterSets.use(1);
      case 0x0f:
        return screen.characterSets.use(0);
      case 0x84:
        return screen.index();
      case 0x85:
        return this.#nextLine();
      case 0x88:
        return screen.active.setTabStop(true);
    }
  }

  escape(final: number, marker: number): void {
    const screen = this.#screen;
    if (marker === DESIGNATE_G0_MARKER || marker === DESIGNATE_G1_MARKER) {
      const set = marker === DESIGNATE_G0_MARKER ? 0 : 1;
      screen.characterSets.designate(set, final === "0".charCodeAt(0));
      return;
    }
    if (marker === ALIGNMENT_MARKER && final === "8".charCodeAt(0)) {
      screen.moveTo(0, 0);
      screen.active.fillFromCursor("E".charCodeAt(0));
      return;
    }
    if (marker !== 0) return;
    switch (String.fromCharCode(final)) {
      case "7":
        return screen.saveCursor();
      case "8":
        return screen.restoreCursor();
      case "D":
        return screen.index();
      case "E":
        return this.#nextLine();
      case "H":
        return screen.active.setTabStop(true);
      case "M":
        return screen.reverseIndex();
      case "c":
        return screen.fullReset();
    }
  }

  control(final: number, marker: number, parameters: ControlParameters): void {
    const letter = String.fromCharCode(final);
    if (marker === 0) this.#plainControl(letter, parameters);
    else if (marker === PRIVATE_MARKER) this.#privateControl(letter, parameters);
    else if (marker === SOFT_RESET_MARKER && letter === "p") this.#screen.softReset();
  }

  #plainControl(letter: string, parameters: ControlParameters): void {
    const screen = this.#screen;
    const count = parameters.at(0, 1);
    switch (letter) {
      case "@":
        return screen.active.insertCharacters(count);
      case "A":
        return screen.moveRows(-count);
      case "B":
        return screen.moveRows(count);
      case "C":
      case "a":
        return screen.moveColumns(count);
      case "D":
        return screen.moveColumns(-count);
      case "E":
        screen.moveRows(count);
        return screen.carriageReturn();
      case "F":
        screen.moveRows(-count);
        return screen.carriageReturn();
      case "G":
      case "`":
        return screen.moveToColumn(count - 1);
      case "H":
      case "f":
        return screen.moveTo(parameters.at(1, 1) - 1, count - 1);
      case "I":
        return screen.moveByTabs(count);
      case "J":
        return screen.active.eraseInDisplay(parameters.at(0, 0));
      case "K":
        return screen.active.eraseInLine(parameters.at(0, 0));
      case "L":
        return screen.active.insertLines(count);
      case "M":
        return screen.active.deleteLines(count);
      case "P":
        return screen.active.deleteCharacters(count);
      case "S":
        return screen.active.scrollUp(count);
      case "T":
        return screen.active.scrollDown(count);
      case "X":
        return screen.active.eraseCharacters(count);
      case "Z":
        return screen.moveByTabs(-count);
      case "d":
        return screen.moveToRow(count - 1);
      case "e":
        return screen.moveDownFreely(count);
      case "g":
        return this.#clearTabStops(parameters.at(0, 0));
      case "h":
      case "l":
        return this.#setModes(parameters, letter === "h");
      case "r":
        return screen.setMargins(count - 1, parameters.at(1, Number.MAX_SAFE_INTEGER) - 1);
      case "s":
        return screen.saveCursor();
      case "u":
        return screen.restoreCursor();
    }
  }

  #privateControl(letter: string, parameters: ControlParameters): void {
    switch (letter) {
      case "J":
        return this.#screen.active.eraseInDisplay(parameters.at(0, 0));
      case "K":
        return this.#screen.active.eraseInLine(parameters.at(0, 0));
      case "h":
      case "l":
        for (let index = 0; index < parameters.count; index++) {
          this.#setPrivateMode(parameters.at(index, 0), letter === "h");
        }
    }
  }

  #setModes(parameters: ControlParameters, isOn: boolean): void {
    for (let index = 0; index < parameters.count; index++) {
      if (parameters.at(index, 0) === 4) this.#screen.setInserting(isOn);
    }
  }

  #setPrivateMode(mode: number, isOn: boolean): void {
    const screen = this.#screen;
    switch (mode) {
      case 6:
        return screen.setOriginAtMargin(isOn);
      case 7:
        return screen.setAutowrap(isOn);
      case 47:
      case 1047:
        return screen.showAlternate(isOn);
      case 1048:
        return isOn ? screen.saveCursor() : screen.restoreCursor();
      case 1049:
        if (isOn) screen.saveCursor();
        screen.showAlternate(isOn);
        if (!isOn) screen.restoreCursor();
    }
  }

  #clearTabStops(mode: number): void {
    if (mode === 0) this.#screen.active.setTabStop(false);
    else if (mode === 3) this.#screen.active.clearTabStops();
  }

  #nextLine(): void {
    this.#screen.carriageReturn();
    this.#screen.index();
  }
}
