// A queue whose first element is taken in constant time, however long it is.

interface Link<T> {
  readonly value: T;
  next: Link<T> | undefined;
}

export class Fifo<T> {
  #first: Link<T> | undefined;
  #last: Link<T> | undefined;

  push(value: T): void {
    const link: Link<T> = { value, next: undefined };
    if (this.#last === undefined) this.#first = link;
    else this.#last.next = link;
    this.#last = link;
  }

  /** Takes the oldest element, or nothing when the queue is empty. */
  take(): T | undefined {
    const link = this.#first;
    if (link === undefined) return undefined;
    this.#first = link.next;
    if (this.#first === undefined) this.#last = undefined;
    return link.value;
  }
}
