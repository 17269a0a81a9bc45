import { createContext, type ComponentChildren, type JSX } from "preact";
import { useContext, useId, useState } from "preact/hooks";

interface Chosen {
  /** Empty: all that the person may see. */
  namespace: string;
  choose: (namespace: string) => void;
}

const Choice = createContext<Chosen>({ namespace: "", choose: () => undefined });
const stored = "namespace";

/** Keeps the namespace whose objects are listed, also for the next visit. */
export function NamespaceProvider({ preset, children }: { preset: string; children: ComponentChildren }): JSX.Element {
  const [namespace, setNamespace] = useState(() => localStorage.getItem(stored) ?? preset);
  const choose = (next: string): void => {
    localStorage.setItem(stored, next);
    setNamespace(next);
  };
  return <Choice.Provider value={{ namespace, choose }}>{children}</Choice.Provider>;
}

export function useNamespace(): Chosen {
  return useContext(Choice);
}

/** The query parameter of lists. */
export function useNamespaceQuery(): { namespace?: string } {
  const { namespace } = useNamespace();
  return namespace === "" ? {} : { namespace };
}

/** Chooses the namespace of lists. */
export function NamespaceField(): JSX.Element {
  const { namespace, choose } = useNamespace();
  const id = useId();
  const [typed, setTyped] = useState(namespace);
  return (
    <form
      class="namespace"
      onSubmit={(event) => {
        event.preventDefault();
        choose(typed.trim());
      }}
    >
      <label for={id}>Namespace</label>
      <input
        id={id}
        value={typed}
        placeholder="all"
        size={14}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onBlur={() => choose(typed.trim())}
      />
    </form>
  );
}
