import type { ComponentChildren, JSX } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";

/** A dialog over the page while it is rendered; Escape closes it, and the focus goes back to where it was. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useLayoutEffect(() => {
    const [before, shown] = [document.activeElement, dialog.current];
    shown?.showModal();
    return () => {
      // Nothing outside of it can have the focus while it is open.
      shown?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={heading}
      onCancel={(event) => {
        // The event `close` comes later, and what opens the dialog again before it would be lost.
        event.preventDefault();
        onClose();
      }}
      onClose={({ currentTarget }) => currentTarget.isConnected && onClose()}
    >
      <h2 id={heading}>{title}</h2>
      {children}
    </dialog>
  );
}
