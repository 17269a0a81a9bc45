import type { ComponentChildren, JSX } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";

/**
 * A dialog over the page while it is rendered; Escape closes it unless it holds what would be lost, and the focus goes back to where
 * it was.
 */
export function Dialog({
  title,
  onClose,
  isHeld = false,
  children,
}: {
  title: string;
  onClose: () => void;
  /** Whether only its buttons close it. */
  isHeld?: boolean;
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
        if (!isHeld) onClose();
      }}
      onClose={({ currentTarget }) => {
        if (!currentTarget.isConnected) return;
        // Browsers close a dialog at the second Escape, whatever it says.
        if (isHeld) currentTarget.showModal();
        else onClose();
      }}
    >
      <h2 id={heading}>{title}</h2>
      {children}
    </dialog>
  );
}
