// Choices of a person in rows of a long list, which are not drawn while they are out of sight.
import { createContext, type ReactNode, useContext, useState } from "react";

/** The names of the places around a component; undefined where components are drawn as long as they matter. */
const KeptIn = createContext<string | undefined>(undefined);

interface KeptScopeProps {
  /** The name, unique among its siblings. */
  readonly name: string;
  readonly children: ReactNode;
}

/** A place whose components keep what was chosen in them. */
export function KeptScope({ name, children }: KeptScopeProps): ReactNode {
  const outer = useContext(KeptIn);
  return <KeptIn value={outer === undefined ? name : `${outer} ${name}`}>{children}</KeptIn>;
}

const choices = new Map<string, boolean>();

/** Whether a person opened or closed something, which `name` identifies within the scope; undefined until then. */
export function useKeptChoice(name: string): readonly [boolean | undefined, (isOpen: boolean) => void] {
  const scope = useContext(KeptIn);
  const key = `${scope} ${name}`;
  const [choice, setChoice] = useState(() => choices.get(key));
  const choose = (isOpen: boolean): void => {
    if (scope !== undefined) choices.set(key, isOpen);
    setChoice(isOpen);
  };
  return [choice, choose];
}
