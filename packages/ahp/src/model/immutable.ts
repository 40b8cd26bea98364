// Changes to values that are never modified in place; each returns what it was given when nothing changes.

/** Sets fields; the same object when every field already has its value. A field set to `undefined` counts as absent. */
export function patch<State extends object>(state: State, changes: Partial<NoInfer<State>>): State {
  const values: Partial<State> = changes;
  for (const key in values) {
    if (values[key] !== state[key]) return { ...state, ...values };
  }
  return state;
}

/**
 * New values for some fields of a state: one that is absent stays as it is, `null` takes an optional one away.
 * `undefined` means absent, because an action must mean the same before and after it was stored as JSON.
 */
export type Changes<State> = {
  readonly [Key in keyof State]?: undefined extends State[Key]
    ? Exclude<State[Key], undefined> | null
    : State[Key];
};

/** Applies changes; the same object when every field already has its value. */
export function applyChanges<State extends object>(state: State, changes: Changes<NoInfer<State>>): State {
  const named = Object.entries<unknown>(changes).filter(([, value]) => value !== undefined);
  const values = Object.fromEntries(named.map(([key, value]) => [key, value ?? undefined]));
  return patch(state, values as Partial<State>);
}

/** Replaces the first item for which `matches` holds, or appends when there is none. */
export function upsert<Item>(
  list: readonly Item[],
  item: Item,
  matches: (candidate: Item) => boolean,
): readonly Item[] {
  const index = list.findIndex(matches);
  return index < 0 ? [...list, item] : list.with(index, item);
}

/** Leaves out the items for which `matches` holds; the same list when there are none. */
export function without<Item>(list: readonly Item[], matches: (candidate: Item) => boolean): readonly Item[] {
  return list.some(matches) ? list.filter((item) => !matches(item)) : list;
}

/** Changes the first item for which `matches` holds; the same list when there is none or `change` returns it as it was. */
export function update<Item>(
  list: readonly Item[],
  matches: (candidate: Item) => boolean,
  change: (item: Item) => Item,
): readonly Item[] {
  const index = list.findIndex(matches);
  const item = list[index];
  if (item === undefined) return list;
  const changed = change(item);
  return changed === item ? list : list.with(index, changed);
}

/**
 * The last branch of a reducer's switch: the compiler proves that no known action gets here,
 * and an action of a newer model that does at run time changes nothing.
 */
export function ignoreUnknown<State>(state: State, _action: never): State {
  return state;
}
