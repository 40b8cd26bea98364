// A list that is never modified in place and shares its unchanged nodes, so that a change costs the same at any length.

/** Items of a node; a power of two, so that the place of an item is found by shifts. */
const bits = 5;
const width = 1 << bits;
const mask = width - 1;

type Node = readonly unknown[];

/** An immutable list: `append`, `with` and `at` take logarithmic time to the base of 32. */
export class PersistentList<Item> implements Iterable<Item> {
  static readonly #empty = new PersistentList<never>([], 0, 0);
  readonly #root: Node;
  /** How far an index is shifted to find its place in the root; 0 when the root holds items. */
  readonly #shift: number;
  readonly length: number;

  private constructor(root: Node, shift: number, length: number) {
    this.#root = root;
    this.#shift = shift;
    this.length = length;
  }

  static from<Item>(items: Iterable<Item>): PersistentList<Item> {
    let list: PersistentList<Item> = PersistentList.#empty;
    for (const item of items) list = list.append(item);
    return list;
  }

  at(index: number): Item | undefined {
    if (index < 0 || index >= this.length) return undefined;
    let node = this.#root;
    for (let shift = this.#shift; shift > 0; shift -= bits) node = node[(index >>> shift) & mask] as Node;
    return node[index & mask] as Item;
  }

  append(item: Item): PersistentList<Item> {
    const isFull = this.length === width << this.#shift;
    const root = isFull ? [this.#root] : this.#root;
    const shift = isFull ? this.#shift + bits : this.#shift;
    return new PersistentList(setIn(root, shift, this.length, item), shift, this.length + 1);
  }

  with(index: number, item: Item): PersistentList<Item> {
    if (index < 0 || index >= this.length) throw new RangeError(`There is no item ${index}.`);
    return new PersistentList(setIn(this.#root, this.#shift, index, item), this.#shift, this.length);
  }

  *[Symbol.iterator](): Iterator<Item> {
    for (let start = 0; start < this.length; start += width) yield* this.#leaf(start);
  }

  toArray(): Item[] {
    const items: Item[] = [];
    for (let start = 0; start < this.length; start += width) items.push(...this.#leaf(start));
    return items;
  }

  #leaf(start: number): readonly Item[] {
    let node = this.#root;
    for (let shift = this.#shift; shift > 0; shift -= bits) node = node[(start >>> shift) & mask] as Node;
    return node as readonly Item[];
  }
}

function setIn(node: Node | undefined, shift: number, index: number, item: unknown): Node {
  const copy = node === undefined ? [] : [...node];
  const place = (index >>> shift) & mask;
  copy[place] = shift === 0 ? item : setIn(copy[place] as Node | undefined, shift - bits, index, item);
  return copy;
}
