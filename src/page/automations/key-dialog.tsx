import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, bodyOf } from "../api.ts";
import { ActionProblem, useAction } from "../parts/action.tsx";
import { Copy } from "../parts/copy.tsx";
import { Dialog } from "../parts/dialog.tsx";

/** Replaces the key after a warning, and shows the new one once: it is in the state of this dialog and nowhere else. */
export function KeyDialog({
  id,
  curl,
  onClose,
}: {
  id: string;
  curl: (key: string) => Promise<string>;
  onClose: () => void;
}): JSX.Element {
  const [key, setKey] = useState<string>();
  const { isBusy, problem, run } = useAction();
  const regenerate = async (): Promise<void> => {
    const asked = { params: { path: { id } }, body: {} };
    const { webhookApiKey } = await bodyOf(api.POST("/automations/{id}/regenerate-key", asked));
    setKey(webhookApiKey);
  };
  if (key === undefined) {
    return (
      <Dialog title="Regenerate the key?" onClose={onClose} isHeld={isBusy}>
        <p>
          The key that senders use now stops working at once, and they are answered 401 until they have the new one. The
          new key is shown once.
        </p>
        <div class="actions">
          <button type="button" class="danger" disabled={isBusy} onClick={() => run(regenerate)}>
            Regenerate key
          </button>
          <button type="button" disabled={isBusy} onClick={onClose}>
            Cancel
          </button>
        </div>
        <ActionProblem problem={problem} />
      </Dialog>
    );
  }
  return (
    <Dialog title="The new key" onClose={onClose} isHeld>
      <p>Store it now: it is shown only here, since only its hash is kept. Treat it like a password.</p>
      <p class="copied">
        <code class="key">{key}</code>
      </p>
      <div class="actions">
        <Copy text={key}>Copy key</Copy>
        <Copy text={() => curl(key)}>Copy curl</Copy>
        <button type="button" class="primary" onClick={onClose}>
          I have stored it
        </button>
      </div>
    </Dialog>
  );
}
